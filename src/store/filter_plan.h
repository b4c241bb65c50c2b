// SPDX-License-Identifier: Apache-2.0
// store/filter_plan.h -- divides the memory for filters: over those that
// exist, and over those of tables that will be written.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "store/asked_counts.h"
#include "store/version.h"
#include "tamis/result.h"
#include "tamis/store_stats.h"

namespace tamis {

// What a plan needs to know beside the tables.
struct FilterPlanInput {
  std::uint64_t limit = 0;  // bytes
  AskedCounts asked = {};
  // Lookups nearly always find their key: the last level needs no filter.
  bool expects_hits = false;
};

// A table whose filter is to be held to another extent than it is.
struct FilterChange {
  int level = 0;
  std::size_t at = 0;  // in the level
  unsigned from = 0;   // as TableFilter::divisor()
  unsigned to = 0;
};

struct HeldFilters {
  std::vector<FilterChange> changes;
  std::uint64_t parts_bytes = 0;  // for the parts of those held in parts
  bool any_in_parts = false;      // false: there are none yet
};

// Returns which filters to hold, and how much of each, so that lookups read as
// little as possible in vain.  Filters that were never loaded are not counted.
// REQUIRES: no filter is dropped meanwhile
HeldFilters PlanHeldFilters(const Version& version,
                            const FilterPlanInput& input);

// The number of keys of each level, as far as it is known; estimated from bytes
// otherwise.
struct LevelKeys {
  std::array<std::uint64_t, kStoreLevels> levels{};
  std::uint64_t tables_of_level0 = 0;
  // Of the next table of level 0.
  std::uint64_t of_flush = 0;

  // The sorted runs, and their keys, of the last plan may be so different that
  // the plan is still right: by a tenth.
  bool IsCloseTo(const LevelKeys& other) const noexcept;
};
// REQUIRES: no filter is dropped meanwhile
LevelKeys CountKeys(const Version& version, std::uint64_t write_buffer_bytes);

// Returns the specs of filters for new tables of each level; "": none.
Result<std::array<std::string, kStoreLevels>> PlanNewFilters(
    const LevelKeys& keys, const FilterPlanInput& input);

}  // namespace tamis
