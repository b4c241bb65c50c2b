// SPDX-License-Identifier: Apache-2.0
// policy.h -- filter policies, both ways.

#pragma once

#include <memory>
#include <optional>

#include <leveldb/filter_policy.h>

#include "tamis/filter.h"

namespace tamis::dropin {

// Returns the bits per key of a policy that leveldb::NewBloomFilterPolicy()
// made.  Nothing: null, or another policy.
std::optional<int> BuiltInBits(const leveldb::FilterPolicy* policy) noexcept;

// Returns a program's policy as one of ours, for a filter block.
// REQUIRES: `theirs` outlives the result
std::shared_ptr<const FilterPolicy> AdaptPolicy(
    const leveldb::FilterPolicy& theirs);

}  // namespace tamis::dropin
