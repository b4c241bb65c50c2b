// SPDX-License-Identifier: Apache-2.0
// filters/range/new_keys.h -- how often a range filter is wrong: it is asked
// for ranges between its keys.

#pragma once

#include <span>

#include "filters/range/code_groups.h"
#include "filters/range/key_code.h"
#include "tamis/slice.h"

namespace tamis {

// Returns the fraction of empty ranges that are "maybe", of those that begin
// where a key of the same kind could be and are about a quarter of a mean gap
// long.  The choice of ranges depends on nothing but the keys.
// REQUIRES: `keys` ascend, without repeats; `code` and `groups` are theirs
double RateBetween(std::span<const Slice> keys, const KeyCode& code,
                   const CodeGroups& groups);

}  // namespace tamis
