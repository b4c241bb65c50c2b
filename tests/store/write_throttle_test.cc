// SPDX-License-Identifier: Apache-2.0
#include "store/write_throttle.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "tests/store/versions.h"

namespace tamis {
namespace {

using std::chrono::nanoseconds;
using testing::kSmallLimits;
using testing::MakeVersion;
using testing::TableAt;

StoreOptions Options() {
  StoreOptions options;
  options.level0_slow_at = 10;
  options.level0_stop_at = 30;
  return options;
}

// Of a store with so many tables in level 0, and so many bytes in level 1.
double RateAt(unsigned level0_tables, std::uint64_t level1_bytes = 0,
              const StoreOptions& options = Options(),
              double flush_backlog = 0) {
  std::vector<TableAt> tables;
  for (unsigned i = 0; i < level0_tables; ++i) {
    tables.push_back(
        {.level = 0, .number = i + 1, .first = "a", .last = "b", .bytes = 1});
  }
  if (level1_bytes > 0) {
    tables.push_back({.level = 1,
                      .number = 1000,
                      .first = "a",
                      .last = "b",
                      .bytes = level1_bytes});
  }
  return SlowdownNanosecondsPerByte(
      std::max(CompactionBacklog(*MakeVersion(tables), kSmallLimits, options),
               flush_backlog));
}

TEST(WriteThrottle, WritersAreNotSlowedWhileWorkKeepsUp) {
  EXPECT_EQ(RateAt(0), 0);
  EXPECT_EQ(RateAt(10), 0);
}

TEST(WriteThrottle, WritersAreSlowedMoreAndMoreAsLevel0Fills) {
  EXPECT_GT(RateAt(11), 0);
  EXPECT_DOUBLE_EQ(RateAt(20), 20.0);  // half way: 50 MB per second
  for (unsigned tables = 11; tables < 29; ++tables) {
    EXPECT_LT(RateAt(tables), RateAt(tables + 1)) << tables;
  }
  EXPECT_LE(RateAt(100), 1000);  // never for good: that is for waiting
}

TEST(WriteThrottle, WritersAreSlowedByDebtOfTheLevelsBelow) {
  EXPECT_EQ(RateAt(0, 1000), 0);
  EXPECT_GT(RateAt(0, 1'000'000), 0);
}

TEST(WriteThrottle, WritersAreSlowedMoreAndMoreWhileFlushesFallBehind) {
  const auto at = [](double backlog) {
    return RateAt(0, 0, Options(), backlog);
  };
  EXPECT_EQ(at(0), 0);
  EXPECT_GT(at(0.1), 0);
  EXPECT_DOUBLE_EQ(at(0.5), 20.0);
  EXPECT_LT(at(0.5), at(0.9));
  EXPECT_LE(at(1.5), 1000);
  StoreOptions options = Options();
  options.automatic_compaction = false;
  EXPECT_DOUBLE_EQ(RateAt(29, 0, options, 0.5), 20.0);
}

TEST(WriteThrottle, NobodyIsSlowedWhereNothingCompactsByItself) {
  StoreOptions options = Options();
  options.automatic_compaction = false;
  EXPECT_EQ(RateAt(29, 1'000'000, options), 0);
}

TEST(WriteThrottle, SleepsOnlyForWhatIsWorthIt) {
  WriteThrottle throttle;
  EXPECT_EQ(throttle.Charge(10, 6'000), nanoseconds(0));
  EXPECT_EQ(throttle.Charge(10, 6'000), nanoseconds(120'000));
  // That is paid.
  EXPECT_EQ(throttle.Charge(10, 6'000), nanoseconds(0));
}

// The delay of a hundred bytes at the steepest rate, and what was owed.
TEST(WriteThrottle, NoSmallWriteSleepsLong) {
  WriteThrottle throttle;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LE(throttle.Charge(RateAt(100), 100), nanoseconds(200'000));
  }
}

TEST(WriteThrottle, WhatWasSleptTooLongIsPaid) {
  WriteThrottle throttle;
  EXPECT_EQ(throttle.Charge(10, 10'000), nanoseconds(100'000));
  throttle.NoteOverslept(nanoseconds(60'000));
  EXPECT_EQ(throttle.Charge(10, 10'000), nanoseconds(0));
  EXPECT_EQ(throttle.Charge(10, 10'000), nanoseconds(140'000));
  // A sleep that ended early, and one that a busy machine made long.
  throttle.NoteOverslept(nanoseconds(-50'000));
  EXPECT_EQ(throttle.Charge(10, 10'000), nanoseconds(100'000));
  throttle.NoteOverslept(nanoseconds(1'000'000'000));
  EXPECT_EQ(throttle.Charge(10, 200'000), nanoseconds(1'000'000));
}

TEST(WriteThrottle, ForgetsWhatIsOwedOnceWorkKeepsUp) {
  WriteThrottle throttle;
  EXPECT_EQ(throttle.Charge(10, 9'000), nanoseconds(0));
  EXPECT_EQ(throttle.Charge(0, 9'000), nanoseconds(0));
  EXPECT_EQ(throttle.Charge(10, 9'000), nanoseconds(0));
}

TEST(WriteThrottle, NoSleepIsLongerThanATenthOfASecond) {
  WriteThrottle throttle;
  EXPECT_EQ(throttle.Charge(1000, 1u << 30), nanoseconds(100'000'000));
}

}  // namespace
}  // namespace tamis
