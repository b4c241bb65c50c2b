// SPDX-License-Identifier: Apache-2.0
// policy/table_policy.h -- policies for the tables of a store, which have any
// number of keys, possibly chosen by an adversary.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tamis/filter.h"

namespace tamis {

// As MakePolicy(), with that seed if the spec has none and its kind takes one.
// For use within the library: the policy throws std::bad_alloc, so that a lack
// of memory is not taken for damage.
Result<std::unique_ptr<const FilterPolicy>> MakeSeededPolicy(
    std::string_view text, std::uint64_t seed);

// Returns the same text for all specs of the same policy, such as "bloom",
// "bloom:10" and "tamis:bits=10.0".  A text that is not valid is returned
// unchanged.
std::string CanonicalText(std::string_view text);

// Ok: the size of a filter depends on the keys of its table.  InvalidArgument:
// the size is fixed; the message says what to write instead.  REQUIRES:
// MakePolicy() accepts the text
Status CheckFitsTables(std::string_view text);

// Builds filters of a few keys, opens them and queries them for each key.
// InvalidArgument: one of these steps fails; the message says which and why.
Status TryPolicy(const FilterPolicy& policy);

// Returns the seed with which the policy's filters find the lines of a key
// (formats/tamis/line_view.h).  Nothing: they have no lines, or cannot be
// built.
std::optional<std::uint64_t> LineSeedOf(const FilterPolicy& policy);

// Returns FilterInfo::kind of the policy's filters, by building one of a single
// key.  Empty: unknown.
std::string KindOf(const FilterPolicy& policy);

}  // namespace tamis
