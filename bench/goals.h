// SPDX-License-Identifier: Apache-2.0
// bench/goals.h -- the goals that the figures of one process must meet.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace tamis::bench {

// The policy that the goals are about.
inline constexpr std::string_view kOurs = "bloom:10";

// The numbers of keys that the bounds are meant for: filters that fit into a
// core's caches, and filters that fit into none.
inline constexpr std::uint64_t kFewKeys = 1'000'000;
inline constexpr std::uint64_t kManyKeys = 100'000'000;

struct GoalValue {
  std::size_t key_bytes = 0;
  std::string of;    // "miss", "hit", or empty where there is only one
  double value = 0;  // 0: it was not measured
};

enum class GoalUnit {
  kRatio,     // of times
  kOverhead,  // a part of the fewest bits that any filter can have
  kNanoseconds,
};

struct Goal {
  GoalUnit unit = GoalUnit::kRatio;
  std::string what;
  std::uint64_t keys = 0;
  double bound = 0;  // every value must be at most this; 0: no bound
  std::vector<GoalValue> values;  // not empty

  // "holds", "misses", "not measured", or "" where there is no bound.
  std::string Verdict() const;
};

// For the runs with the fewest and with the most keys of each key length; if
// all have the same number, what is meant for numbers like that.  Goals about
// what is in no run are left out.
std::vector<Goal> CheckGoals(std::span<const Run> runs);

}  // namespace tamis::bench
