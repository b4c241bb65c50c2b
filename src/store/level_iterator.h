// SPDX-License-Identifier: Apache-2.0
// store/level_iterator.h -- the entries of one table, or of the tables of a
// level one after the other.  Tables are opened when the iterator reaches them.

#pragma once

#include <memory>
#include <vector>

#include "store/version.h"
#include "table/internal_iterator.h"
#include "table/table_reader.h"

namespace tamis {

// REQUIRES: the file outlives it
std::unique_ptr<InternalIterator> NewTableIterator(
    const TableFile& file, const BlockReadOptions& options);

// REQUIRES: a level from 1 on; it outlives the iterator
std::unique_ptr<InternalIterator> NewLevelIterator(
    const KeyOrder& order, const Level& level, const BlockReadOptions& options);
// REQUIRES: the files are sorted and do not overlap; the vector outlives it
std::unique_ptr<InternalIterator> NewLevelIterator(
    const KeyOrder& order, const std::vector<TableFileRef>& files,
    const BlockReadOptions& options);

}  // namespace tamis
