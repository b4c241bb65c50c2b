// SPDX-License-Identifier: Apache-2.0
// policy/choosing_policy.h -- "fpr:0.01": a rate, and the kind is chosen by
// what it costs once the number of keys is known.

#pragma once

#include <cstdint>
#include <memory>

#include "tamis/advice.h"
#include "tamis/filter.h"

namespace tamis {

// Builds filters of the .tamis container, of the kind that costs least for the
// different keys that came, out of those that can be made of hashes alone:
// cache-local, ribbon and fuse.  Reads every kind.  What grows in place is of
// the default kind.  Of `need`, keys and all wishes are
// ignored.  InvalidArgument: no lines have such a rate, nor have the others.
Result<std::unique_ptr<const FilterPolicy>> NewChoosingPolicy(
    const FilterNeed& need, std::uint64_t seed);

}  // namespace tamis
