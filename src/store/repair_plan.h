// SPDX-License-Identifier: Apache-2.0
// store/repair_plan.h -- plans what RepairStore() will do, before anything is
// written.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/log_replay.h"
#include "store/repair_manifest.h"
#include "store/version_edit.h"
#include "table/table_reader.h"
#include "table/table_salvage.h"
#include "tamis/env.h"
#include "tamis/result.h"
#include "tamis/store.h"

namespace tamis {

// A table to be kept.
struct PlannedTable {
  std::string path;
  int level = -1;        // from the manifest; -1: unknown
  bool is_whole = true;  // else its readable entries are rewritten
  // For an intact table, from the table itself; for others what can be read,
  // with the file's `number`.
  FileMetadata metadata;
  FileMetadata manifest_metadata;  // number 0: none
  Sequence newest = 0;
  std::uint64_t entries = 0;
};

// Returns what the manifest says about it.
SalvageBounds SalvageBoundsOf(const ManifestState& manifest,
                              const PlannedTable& table);

enum class RepairLayout {
  kLevels,       // every table stays in its level
  kMergeLevel0,  // tables of level 0 and logs are merged by sequence
  kMergeAll,     // all tables that overlap are merged, into one level
};

struct RepairPlan {
  ManifestFinding manifest;
  std::vector<PlannedTable> tables;
  std::vector<ReplayLog> logs;  // rising
  RepairLayout layout = RepairLayout::kLevels;
  std::vector<std::string> to_put_aside;  // paths, to be moved at the end
  std::uint64_t next_number = 1;
  Sequence last_sequence = 0;
  // Complete, except for the counts of what was written.
  RepairReport report;
};

// Reads everything, writes nothing.  NotFound: there is nothing of a store.
// InvalidArgument: it is a store of another comparator, or seems to be.
// NotSupported: nothing can be read as part of a store.  NotSupported,
// PermissionDenied and ResourceExhausted also mean that something could not be
// read for a reason other than damage; the message names the file.
Result<RepairPlan> PlanRepair(Env& env, const std::string& dir,
                              const TableReadContext& context,
                              std::uint64_t max_log_bytes, RepairMode mode);

}  // namespace tamis
