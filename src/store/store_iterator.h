// SPDX-License-Identifier: Apache-2.0
// store/store_iterator.h -- a user's iterator over internal entries: it returns
// the newest version of each key that is not newer than its sequence, unless
// that is a deletion.

#pragma once

#include <memory>

#include "store/read_view.h"
#include "table/internal_iterator.h"
#include "tamis/iterator.h"

namespace tamis {

// The iterator keeps `view` alive; `entries` may refer to it.
std::unique_ptr<Iterator> NewStoreIterator(
    std::shared_ptr<const ReadView> view,
    std::unique_ptr<InternalIterator> entries, const KeyOrder& order,
    Sequence sequence);

// Returns an iterator over all entries of a view.  REQUIRES: the view outlives
// it
std::unique_ptr<InternalIterator> NewViewIterator(
    const ReadView& view, const BlockReadOptions& options);

}  // namespace tamis
