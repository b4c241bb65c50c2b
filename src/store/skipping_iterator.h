// SPDX-License-Identifier: Apache-2.0
// store/skipping_iterator.h -- an iterator over a table of level 0, or over a
// level of tables that do not overlap, which asks their range filters where a
// scan may continue, and reads no table before the scan comes to that place.

#pragma once

#include <memory>

#include "store/range_scan.h"
#include "store/version.h"
#include "table/internal_iterator.h"
#include "table/table_reader.h"

namespace tamis {

// The tables that one of them reads.
struct SkippedTables {
  int number = 0;                      // of the level
  const Level* level = nullptr;        // for levels from 1 on; or else
  const TableFileRef* file = nullptr;  // one table
};

// Moves as NewLevelIterator()'s and NewTableIterator()'s do, but Seek() and
// SeekForPrev() may leave it postponed (InternalIterator::is_postponed()).
// Entries outside the bounds of the scan may be left out.
// REQUIRES: the tables, and the bounds of the scan, outlive it
std::unique_ptr<InternalIterator> NewSkippingIterator(
    const RangeScan& scan, const SkippedTables& tables,
    const BlockReadOptions& options);

}  // namespace tamis
