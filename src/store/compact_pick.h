// SPDX-License-Identifier: Apache-2.0
// store/compact_pick.h -- which tables to merge next: a function of a version
// alone.  How it is done is in compact_run.cc.

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

  // The most that a level from 1 on should hold.
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

  // One table that nothing overlaps goes down as it is.
  bool is_move() const noexcept {
    return upper.size() == 1 && lower.empty() && level != output_level &&
           !must_rewrite;
  }
  std::uint64_t bytes() const noexcept;
};

// How much a level is in need: 1 and above means that it should be compacted.
double CompactionScore(const Version& version, const CompactionLimits& limits,
                       int level) noexcept;

// The most urgent job; nothing: all levels are within their limits.
// `pointers`: per level the largest key that was compacted last, so that all
// of a level has its turn.
std::optional<CompactionJob> PickCompaction(
    const Version& version, const CompactionLimits& limits,
    const std::array<std::string, kStoreLevels>& pointers);

// All tables of `level` that overlap the range (user keys, both included;
// null: unbounded), into `output_level`; nothing where there are none.
std::optional<CompactionJob> PickRange(const Version& version, int level,
                                       int output_level, const Slice* from,
                                       const Slice* to);

// Bytes that compaction has still to go through until all is within limits.
std::uint64_t CompactionDebt(const Version& version,
                             const CompactionLimits& limits) noexcept;

}  // namespace tamis
