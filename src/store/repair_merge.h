// SPDX-License-Identifier: Apache-2.0
// store/repair_merge.h -- tables of which nobody knows the levels any more, or
// which of them is newer, as a store can have them.
//
// Level 0 asks the table with the highest number first.  That would be wrong
// here: a compaction writes old entries into new tables, and so does a repair.
// So tables that overlap are merged, and none overlaps another afterwards.

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
  std::uint64_t table_bytes = 0;  // tables are cut at this size
  // True: there are no other tables that deletions would have to hide.
  bool may_drop_deletions = false;
  std::function<std::uint64_t()> new_number;
};

// The tables, sorted and without overlaps: the same ones, or new ones in their
// place.  `replaced` gets the numbers of those that are not needed any more.
Result<std::vector<FoundTable>> MergeOverlapping(
    const RepairMerge& merge, std::vector<FoundTable> tables,
    std::vector<std::uint64_t>* replaced);

}  // namespace tamis
