// SPDX-License-Identifier: Apache-2.0
// store/merging_iterator.h -- several sorted sequences as one.

#pragma once

#include <memory>
#include <vector>

#include "table/internal_iterator.h"
#include "table/internal_key.h"

namespace tamis {

// If two children have equal keys (which no store has), the earlier child's
// comes first.  An error of one child ends the iteration: what it hides is
// unknown.
std::unique_ptr<InternalIterator> NewMergingIterator(
    const KeyOrder& order,
    std::vector<std::unique_ptr<InternalIterator>> children);

}  // namespace tamis
