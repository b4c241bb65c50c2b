// SPDX-License-Identifier: Apache-2.0
#include "bench/goals.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tamis::bench {
namespace {

// A row in which each of these takes so many nanoseconds.
Row RowWith(std::string_view name,
            const std::vector<std::pair<Metric, double>>& times) {
  Row row;
  row.name = std::string(name);
  for (const auto& [metric, time] : times) row.passes[metric] = {time};
  return row;
}

Run RunWith(std::uint64_t keys, std::vector<Row> rows) {
  Run run;
  run.plan.keys = keys;
  run.plan.key_bytes = KeyChunk::kFewestKeyBytes;
  run.rows = std::move(rows);
  return run;
}

const Goal* Find(const std::vector<Goal>& goals, std::string_view what) {
  const auto found =
      std::find_if(goals.begin(), goals.end(),
                   [&](const Goal& g) { return g.what == what; });
  return found == goals.end() ? nullptr : &*found;
}

TEST(Goals, OneByOneComparesWithBoostTheLoopThatDoesNotPrefetch) {
  const std::vector<bench::Run> runs = {RunWith(
      kFewKeys,
      {RowWith(kOurs, {{kMissInline, 3},
                       {kHitInline, 2},
                       {kMissPrefetched, 1},
                       {kHitPrefetched, 1}}),
       RowWith(kBoostMultiblock10Name, {{kMissOne, 2}, {kHitOne, 2}})})};
  const std::vector<Goal> goals = CheckGoals(runs);
  const Goal* plain = Find(goals, "one by one / Boost's, 10 bits");
  ASSERT_NE(plain, nullptr);
  ASSERT_EQ(plain->values.size(), 2u);
  EXPECT_DOUBLE_EQ(plain->values[0].value, 1.5);
  EXPECT_DOUBLE_EQ(plain->values[1].value, 1.0);
  EXPECT_EQ(plain->Verdict(), "misses");
  const Goal* prefetched =
      Find(goals, "one by one, prefetched / Boost's, 10 bits");
  ASSERT_NE(prefetched, nullptr);
  EXPECT_DOUBLE_EQ(prefetched->values[0].value, 0.5);
  EXPECT_EQ(prefetched->Verdict(), "");
}

// Returns whether there is a goal in nanoseconds, which is for filters in
// cache.
bool HasTimes(const std::vector<std::uint64_t>& numbers_of_keys) {
  std::vector<Run> runs;
  for (const std::uint64_t keys : numbers_of_keys) {
    runs.push_back(
        RunWith(keys, {RowWith(kOurs, {{kMiss256, 4}, {kHit256, 4}})}));
  }
  const std::vector<Goal> goals = CheckGoals(runs);
  return std::any_of(goals.begin(), goals.end(), [](const Goal& goal) {
    return goal.unit == GoalUnit::kNanoseconds;
  });
}

TEST(Goals, TimesInCacheAreForFiltersThatFitIntoIt) {
  EXPECT_TRUE(HasTimes({kFewKeys}));
  EXPECT_TRUE(HasTimes({kFewKeys, kManyKeys}));
  EXPECT_FALSE(HasTimes({kFewKeys + 1, kManyKeys}));
  EXPECT_FALSE(HasTimes({kManyKeys}));
}

}  // namespace
}  // namespace tamis::bench
