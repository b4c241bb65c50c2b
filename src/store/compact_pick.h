// SPDX-License-Identifier: Apache-2.0
// store/compact_pick.h -- decides which tables to merge next: a pure function
// of a version.  compact_run.cc does it.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/version.h"

namespace tamis {

struct CompactionLimits {
  std::uint64_t level1_bytes = 0;
  unsigned level_growth = 10;
  unsigned level0_tables = 4;
  std::uint64_t table_bytes = 0;

  // Returns the maximum size of a level from 1 on.
  std::uint64_t LevelBytes(int level) const noexcept;
};

// Tables of `level` and those of `output_level` that they overlap, to be
// merged into `output_level`.
struct CompactionJob {
  int level = 0;
  int output_level = 1;
  std::vector<TableFileRef> upper;
  std::vector<TableFileRef> lower;
  bool must_rewrite = false;  // there may be entries to drop

  // True: a single table that overlaps nothing moves down unchanged.
  bool is_move() const noexcept {
    return upper.size() == 1 && lower.empty() && level != output_level &&
           !must_rewrite;
  }
  std::uint64_t bytes() const noexcept;
};

// Returns how urgently a level needs compaction: from 1 on it should be
// compacted.
double CompactionScore(const Version& version, const CompactionLimits& limits,
                       int level) noexcept;

// Two jobs may run at a time, one of each sort, so that level 0 does not wait
// for a long merge further down.
enum class JobSort {
  kLevel0,  // from level 0
  kBelow,   // from any other level
};

// What the thread that runs the jobs of the other sort does.
struct OtherThread {
  const CompactionJob* running = nullptr;
  // True: it will begin the most urgent job of its sort, if that is possible.
  bool is_ready = true;
  // True: only one job may run at a time, whatever it is.
  bool excludes = false;
};

// Returns true if the jobs must not run at the same time: they share a level,
// and there are keys that both may hold.  Of two jobs that do not, neither
// removes what the other reads, their outputs do not overlap, and what one of
// them has above or below an entry of the other stays above or below it.
bool Conflict(const KeyOrder& order, const CompactionJob& a,
              const CompactionJob& b);

// Returns the most urgent job of the sort; nothing: all levels are within their
// limits, or it must wait for a job that is running, or one of the other sort
// goes first, because it conflicts and is more urgent.
// Of two threads that are ready, of which both have a job to do, at least one
// gets it.
std::optional<CompactionJob> PickCompaction(const Version& version,
                                            const CompactionLimits& limits,
                                            JobSort sort,
                                            const OtherThread& other);

// Returns a job for all tables of `level` that overlap the range (user keys,
// both included; null: unbounded), into `output_level`; nothing if there are
// none.
std::optional<CompactionJob> PickRange(const Version& version, int level,
                                       int output_level, const Slice* from,
                                       const Slice* to);

// Returns the bytes that compaction has yet to process until all levels are
// within limits.
std::uint64_t CompactionDebt(const Version& version,
                             const CompactionLimits& limits) noexcept;

}  // namespace tamis
