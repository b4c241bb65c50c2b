// SPDX-License-Identifier: Apache-2.0
#include "store/asked_counts.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

AskedCounts CountsOf(std::uint64_t lookups, std::uint64_t in_vain,
                     std::uint64_t held) {
  AskedCounts counts;
  counts.lookups = lookups;
  counts.levels[2] = {.in_vain = in_vain, .held = held};
  return counts;
}

TEST(FadingCounts, CountEverythingUntilAnEpochHasPassed) {
  FadingCounts counts(1000);
  counts.Remember(CountsOf(10, 4, 6));
  counts.Advance(CountsOf(999, 500, 400));
  const AskedCounts now = counts.At(CountsOf(999, 500, 400));
  EXPECT_EQ(now.lookups, 1009u);
  EXPECT_EQ(now.levels[2].in_vain, 504u);
  EXPECT_EQ(now.levels[2].held, 406u);
}

TEST(FadingCounts, AreHalvedAfterEveryEpoch) {
  FadingCounts counts(1000);
  counts.Advance(CountsOf(1000, 600, 400));
  EXPECT_EQ(counts.At(CountsOf(1000, 600, 400)).lookups, 500u);
  counts.Advance(CountsOf(1500, 600, 900));  // too early
  EXPECT_EQ(counts.At(CountsOf(1500, 600, 900)).levels[2].held, 700u);
  counts.Advance(CountsOf(2000, 600, 1400));
  const AskedCounts now = counts.At(CountsOf(2000, 600, 1400));
  EXPECT_EQ(now.lookups, 750u);
  EXPECT_EQ(now.levels[2].in_vain, 150u);
  EXPECT_EQ(now.levels[2].held, 600u);
}

// What lookups do now decides, however long they did something else.
TEST(FadingCounts, FollowAChangeOfTheLookups) {
  FadingCounts counts(1000);
  AskedCounts total;
  for (int i = 0; i < 1000; ++i) {
    total.lookups += 1000;
    total.levels[2].in_vain += 1000;
    counts.Advance(total);
  }
  for (int i = 0; i < 5; ++i) {
    total.lookups += 1000;
    total.levels[2].held += 1000;
    counts.Advance(total);
  }
  const AskedCounts now = counts.At(total);
  EXPECT_LT(now.levels[2].in_vain * 20, now.levels[2].held);
}

}  // namespace
}  // namespace tamis
