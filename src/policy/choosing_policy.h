// SPDX-License-Identifier: Apache-2.0
// policy/choosing_policy.h -- "fpr:0.01": a rate; the kind is chosen by cost
// once the number of keys is known.

#pragma once

#include <cstdint>
#include <memory>

#include "tamis/advice.h"
#include "tamis/filter.h"

namespace tamis {

// Builds filters of the .tamis container, of the kind that costs least for the
// distinct keys, among those that can be built from hashes alone: cache-local,
// ribbon and fuse.  Reads every kind.  Mutable filters are of the default kind.
// Of `need`, keys, deletes, growth and expiry are ignored.  InvalidArgument: no
// kind has such a rate.
Result<std::unique_ptr<const FilterPolicy>> NewChoosingPolicy(
    const FilterNeed& need, std::uint64_t seed);

}  // namespace tamis
