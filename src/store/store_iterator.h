// SPDX-License-Identifier: Apache-2.0
// store/store_iterator.h -- a user's iterator over internal entries: it returns
// the newest version of each key that is not newer than its sequence, unless
// that is a deletion.

#pragma once

#include <memory>

#include "store/read_view.h"
#include "store/scan_bounds.h"
#include "table/internal_iterator.h"
#include "tamis/iterator.h"

namespace tamis {

// What an iterator reads from.
struct ScanSource {
  std::shared_ptr<const ReadView> view;
  std::unique_ptr<const ScanBounds> bounds = {};  // null: none
  // It may refer to both.
  std::unique_ptr<InternalIterator> entries = {};
};

std::unique_ptr<Iterator> NewStoreIterator(ScanSource source,
                                           const KeyOrder& order,
                                           Sequence sequence);

}  // namespace tamis
