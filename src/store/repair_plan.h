// SPDX-License-Identifier: Apache-2.0
// store/repair_plan.h -- what RepairStore() will do, found out before anything
// is written.

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
  int level = -1;        // by the manifest; -1: it does not say
  bool is_whole = true;  // else what can be read of it is written anew
  // Of a whole one as the table itself has it; of others what can be read,
  // and `number` that of the file.
  FileMetadata metadata;
  FileMetadata manifest_metadata;  // number 0: there are none
  Sequence newest = 0;
  std::uint64_t entries = 0;
};

// What the manifest says of it.
SalvageBounds SalvageBoundsOf(const ManifestState& manifest,
                              const PlannedTable& table);

enum class RepairLayout {
  kLevels,       // every table stays in its level
  kMergeLevel0,  // those of level 0 and of logs become new ones, by sequence
  kMergeAll,     // all tables that overlap do, and all go to one level
};

struct RepairPlan {
  ManifestFinding manifest;
  std::vector<PlannedTable> tables;
  std::vector<ReplayLog> logs;  // rising
  RepairLayout layout = RepairLayout::kLevels;
  std::vector<std::string> to_put_aside;  // paths, when all else is done
  std::uint64_t next_number = 1;
  Sequence last_sequence = 0;
  // All but the counts of what was written.
  RepairReport report;
};

// Reads everything, writes nothing.  NotFound: there is nothing of a store.
// InvalidArgument: it is a store of another comparator, or seems to be.
// NotSupported: of what is there nothing can be read as part of one.  That and
// PermissionDenied and ResourceExhausted, also: something could not be read for
// a reason that is no damage; the message names the file.
Result<RepairPlan> PlanRepair(Env& env, const std::string& dir,
                              const TableReadContext& context,
                              std::uint64_t max_log_bytes, RepairMode mode);

}  // namespace tamis
