// SPDX-License-Identifier: Apache-2.0
// store/repair_merge.h -- merges tables whose levels, or relative ages, are
// unknown.
//
// A lookup in level 0 searches the table with the highest number first.  That
// would be wrong here: a compaction writes old entries into new tables, and so
// does a repair.  So tables that overlap are merged, and none overlaps another
// afterwards.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/table_outputs.h"
#include "store/version_edit.h"
#include "table/table_reader.h"
#include "tamis/env.h"

namespace tamis {

struct FoundTable {
  FileMetadata metadata;
  Sequence newest = 0;
  std::uint64_t entries = 0;
};

struct RepairMerge {
  Env* env = nullptr;
  std::string dir;
  TableReadContext read;
  TableWriteOptions write;
  std::uint64_t table_bytes = 0;  // the size of new tables
  // True: there are no other tables that deletions would have to hide.
  bool may_drop_deletions = false;
  std::function<std::uint64_t()> new_number;
};

// Returns the tables, sorted and without overlaps: the same ones, or new ones
// in their place.  Adds the numbers of tables that are no longer needed to
// `replaced`.
Result<std::vector<FoundTable>> MergeOverlapping(
    const RepairMerge& merge, std::vector<FoundTable> tables,
    std::vector<std::uint64_t>* replaced);

}  // namespace tamis
