// SPDX-License-Identifier: Apache-2.0
// absent_keys.h -- lookups of keys that a store does not have, to see how often
// its filters are wrong.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tamis/store.h"
#include "tamis/store_tables.h"

namespace tamis::tools {

// Looks up `count` keys that are not in the store, each next to one that is, so
// that Store::Stats() has what the filters answered.  `tables` are those of the
// store; without any it is asked nothing.  An error: one could not be read.
Status AskAbsentKeys(Store& store, std::span<const StoreTable> tables,
                     std::uint64_t count);

// Reads the value of --sample; "" is 0.  InvalidArgument: not a number, or more
// than a thousand million.
Result<std::uint64_t> ParseSample(std::string_view text);

// Returns the rate of false positives that was observed; "-" if none could be.
std::string ObservedRate(const FilterCounts& filters);

}  // namespace tamis::tools
