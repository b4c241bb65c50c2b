// SPDX-License-Identifier: Apache-2.0
// store/compact_pick.h -- decides which tables to merge next: a pure function
// of a version.  compact_run.cc does it.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
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

// Returns the most urgent job; nothing: all levels are within their limits.
// `pointers`: per level the largest key that was compacted last, so that
// compaction cycles through the level.
std::optional<CompactionJob> PickCompaction(
    const Version& version, const CompactionLimits& limits,
    const std::array<std::string, kStoreLevels>& pointers);

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
