// SPDX-License-Identifier: Apache-2.0
// policy/table_policy.h -- policies for the tables of a store: of any number
// of keys, and of keys that somebody may have chosen with care.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tamis/filter.h"

namespace tamis {

// As MakePolicy(), with that seed where the text gives none and its kind takes
// one.  For use within the library: the policy throws std::bad_alloc, so that a
// lack of memory is not taken for damage.
Result<std::unique_ptr<const FilterPolicy>> MakeSeededPolicy(
    std::string_view text, std::uint64_t seed);

// One text for all that mean the same policy: of "bloom", "bloom:10" and
// "tamis:bits=10.0".  What MakePolicy() does not take stays as it is.
std::string CanonicalText(std::string_view text);

// Ok: filters of this text grow with the tables they are for.
// InvalidArgument: it says one size for all; the message says what to write
// instead.  REQUIRES: MakePolicy() takes the text
Status CheckFitsTables(std::string_view text);

// Builds filters of a few keys, opens them and asks them about each key.
// InvalidArgument: one of that fails; the message says what and why.
Status TryPolicy(const FilterPolicy& policy);

// The seed by which the policy's filters find the lines of a key
// (formats/tamis/line_view.h).  Nothing: they have no lines, or cannot be
// built.
std::optional<std::uint64_t> LineSeedOf(const FilterPolicy& policy);

// FilterInfo::kind of the policy's filters, by one of a single key.  Empty: it
// cannot be told.
std::string KindOf(const FilterPolicy& policy);

}  // namespace tamis
