// SPDX-License-Identifier: Apache-2.0
// store/compact_range.h -- merging one range of keys of a compaction.

#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/give_way.h"
#include "store/compact_pick.h"
#include "store/table_outputs.h"

namespace tamis {

struct CompactRange {
  const CompactionJob* job = nullptr;
  const Version* version = nullptr;  // that the job was picked from
  std::vector<Sequence> snapshots;
  std::uint64_t table_bytes = 0;
  // User keys; the range includes `from` and excludes `to`.
  std::optional<std::string> from;
  std::optional<std::string> to;
  const std::atomic<bool>* stop = nullptr;  // the store is closing
  GiveWay give_way;
};

// Writes the entries that must stay to `outputs`, and ends its last table.
// Every block that is read is verified.  The calls may come from two threads,
// one after the other.
Status MergeRange(const CompactRange& range, TableOutputs* outputs);

// Returns user keys that divide the job into at most `parts` ranges of about
// the same size; fewer if the tables have too few samples.
std::vector<std::string> CutsOf(const CompactionJob& job, const KeyOrder& order,
                                std::uint64_t parts);

// Returns the largest internal key of the job's upper tables.
std::string LargestKey(const CompactionJob& job, const KeyOrder& order);

}  // namespace tamis
