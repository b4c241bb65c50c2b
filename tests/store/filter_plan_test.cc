// SPDX-License-Identifier: Apache-2.0
#include "store/filter_plan.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

// Four tables in level 0, and two full levels.
LevelKeys SomeKeys() {
  LevelKeys keys;
  keys.levels[0] = 400'000;
  keys.levels[1] = 1'000'000;
  keys.levels[2] = 10'000'000;
  keys.tables_of_level0 = 4;
  keys.of_flush = 100'000;
  return keys;
}

FilterPlanInput WithLimit(std::uint64_t bytes) {
  FilterPlanInput input;
  input.limit = bytes;
  return input;
}

// Lookups of absent keys ask each table of level 0 and one of each further
// level: what is counted of them is what is assumed without counts.
TEST(FilterPlan, TablesOfLevel0AreRunsLikeAllOthers) {
  FilterPlanInput input = WithLimit(12'000'000);
  const auto assumed = PlanNewFilters(SomeKeys(), input);
  ASSERT_TRUE(assumed.ok());
  constexpr std::uint64_t kLookups = 1'000'000'000;
  input.asked.lookups = kLookups;
  input.asked.levels[0].in_vain = 4 * kLookups;
  input.asked.levels[1].in_vain = kLookups;
  input.asked.levels[2].in_vain = kLookups;
  const auto counted = PlanNewFilters(SomeKeys(), input);
  ASSERT_TRUE(counted.ok());
  EXPECT_EQ(*counted, *assumed);
}

TEST(FilterPlan, ALevelThatHoldsTheKeysGetsLess) {
  FilterPlanInput input = WithLimit(12'000'000);
  const auto assumed = PlanNewFilters(SomeKeys(), input);
  ASSERT_TRUE(assumed.ok());
  input.asked.lookups = 1'000'000'000;
  input.asked.levels[0].in_vain = 4'000'000'000;
  input.asked.levels[1].in_vain = 1'000'000'000;
  input.asked.levels[2].in_vain = 1'000'000;
  const auto counted = PlanNewFilters(SomeKeys(), input);
  ASSERT_TRUE(counted.ok());
  EXPECT_NE((*counted)[2], (*assumed)[2]);
  EXPECT_NE((*counted)[0], (*assumed)[0]);
}

}  // namespace
}  // namespace tamis
