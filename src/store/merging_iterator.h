// SPDX-License-Identifier: Apache-2.0
// store/merging_iterator.h -- several sorted sequences as one.

#pragma once

#include <memory>
#include <vector>

#include "table/internal_iterator.h"
#include "table/internal_key.h"
#include "table/table_reader.h"

namespace tamis {

// If two children have equal keys (which no store has), the earlier child's
// comes first.  An error of one child ends the iteration: what it hides is
// unknown.  Children that are postponed are settled when their turn comes; the
// result is not postponed itself unless there is one child alone, which is
// returned.
// `span`: null, or what is needed: an entry beyond it may be left out.
// REQUIRES: it outlives the iterator
std::unique_ptr<InternalIterator> NewMergingIterator(
    const KeyOrder& order,
    std::vector<std::unique_ptr<InternalIterator>> children,
    const KeySpan* span = nullptr);

}  // namespace tamis
