// SPDX-License-Identifier: Apache-2.0
#include "store/compact_pick.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/store/versions.h"

namespace tamis {
namespace {

using testing::InternalKey;
using testing::MakeVersion;
using testing::NumbersOf;
using testing::TableAt;
using Numbers = std::vector<std::uint64_t>;
using Pointers = std::array<std::string, kStoreLevels>;

constexpr CompactionLimits kLimits = {.level1_bytes = 1000,
                                      .level_growth = 10,
                                      .level0_tables = 4,
                                      .table_bytes = 100};

TEST(CompactionLimits, GrowByLevelAndNeverWrap) {
  EXPECT_EQ(kLimits.LevelBytes(1), 1000u);
  EXPECT_EQ(kLimits.LevelBytes(2), 10'000u);
  EXPECT_EQ(kLimits.LevelBytes(5), 10'000'000u);
  CompactionLimits vast = kLimits;
  vast.level_growth = 1'000'000;
  for (int i = 2; i < kStoreLevels; ++i) {
    EXPECT_GE(vast.LevelBytes(i), vast.LevelBytes(i - 1)) << i;
  }
}

TEST(CompactPick, ScoresByTablesInLevel0AndByBytesBelow) {
  const auto version = MakeVersion({
      {.level = 0, .number = 1, .first = "a", .last = "b"},
      {.level = 0, .number = 2, .first = "a", .last = "b"},
      {.level = 1, .number = 3, .first = "a", .last = "b", .bytes = 500},
      {.level = 2, .number = 4, .first = "a", .last = "b", .bytes = 20'000},
      {.level = 6, .number = 5, .first = "a", .last = "b", .bytes = 1u << 31},
  });
  EXPECT_DOUBLE_EQ(CompactionScore(*version, kLimits, 0), 0.5);
  EXPECT_DOUBLE_EQ(CompactionScore(*version, kLimits, 1), 0.5);
  EXPECT_DOUBLE_EQ(CompactionScore(*version, kLimits, 2), 2.0);
  EXPECT_DOUBLE_EQ(CompactionScore(*version, kLimits, 3), 0.0);
  EXPECT_DOUBLE_EQ(CompactionScore(*version, kLimits, 6), 0.0);
}

TEST(CompactPick, PicksNothingWithinTheLimits) {
  EXPECT_FALSE(PickCompaction(*MakeVersion({}), kLimits, {}));
  const auto version = MakeVersion(
      {{.level = 1, .number = 3, .first = "a", .last = "b", .bytes = 999}});
  EXPECT_FALSE(PickCompaction(*version, kLimits, {}));
  EXPECT_EQ(CompactionDebt(*version, kLimits), 0u);
}

TEST(CompactPick, PicksTheLevelInMostNeed) {
  const auto version = MakeVersion({
      {.level = 1, .number = 1, .first = "a", .last = "b", .bytes = 1500},
      {.level = 2, .number = 2, .first = "a", .last = "b", .bytes = 16'000},
  });
  const auto job = PickCompaction(*version, kLimits, {});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->level, 2);
  EXPECT_EQ(job->output_level, 3);
  EXPECT_TRUE(job->is_move());
  EXPECT_EQ(job->bytes(), 16'000u);
  EXPECT_GT(CompactionDebt(*version, kLimits), 6000u);
}

// A chain of overlaps, from the oldest on; what overlaps none of it stays.
TEST(CompactPick, TakesAllOfLevel0ThatOverlapsTheOldest) {
  const auto version = MakeVersion({
      {.level = 0, .number = 1, .first = "c", .last = "d"},
      {.level = 0, .number = 2, .first = "x", .last = "z"},
      {.level = 0, .number = 3, .first = "d", .last = "f"},
      {.level = 0, .number = 4, .first = "f", .last = "h"},
      {.level = 1, .number = 10, .first = "a", .last = "b"},
      {.level = 1, .number = 11, .first = "g", .last = "k"},
      {.level = 1, .number = 12, .first = "y", .last = "z"},
  });
  const auto job = PickCompaction(*version, kLimits, {});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->level, 0);
  EXPECT_EQ(NumbersOf(job->upper), (Numbers{4, 3, 1}));
  EXPECT_EQ(NumbersOf(job->lower), Numbers{11});
  EXPECT_FALSE(job->is_move());
}

TEST(CompactPick, GivesEachTableOfALevelItsTurn) {
  std::vector<TableAt> tables;
  for (std::uint64_t i = 0; i < 5; ++i) {
    tables.push_back({.level = 1,
                      .number = i + 1,
                      .first = std::string(1, static_cast<char>('a' + 2 * i)),
                      .last = std::string(1, static_cast<char>('b' + 2 * i)),
                      .bytes = 400});
  }
  const auto version = MakeVersion(tables);
  Pointers pointers;
  Numbers order;
  for (int i = 0; i < 6; ++i) {
    const auto job = PickCompaction(*version, kLimits, pointers);
    ASSERT_TRUE(job);
    ASSERT_EQ(job->upper.size(), 1u);
    order.push_back(job->upper.front()->number());
    pointers[1] = std::string(job->upper.front()->largest());
  }
  EXPECT_EQ(order, (Numbers{1, 2, 3, 4, 5, 1}));
}

TEST(CompactPick, MovesOnlyATableThatNothingOverlaps) {
  const TableAt upper = {
      .level = 1, .number = 1, .first = "c", .last = "f", .bytes = 2000};
  const auto free = MakeVersion(
      {upper, {.level = 2, .number = 2, .first = "g", .last = "k"}});
  EXPECT_TRUE(PickCompaction(*free, kLimits, {})->is_move());
  const auto touching = MakeVersion(
      {upper, {.level = 2, .number = 2, .first = "f", .last = "k"}});
  EXPECT_FALSE(PickCompaction(*touching, kLimits, {})->is_move());
}

// Or older versions of the key would come to lie above newer ones.
TEST(CompactPick, TakesTablesTogetherThatShareAKey) {
  const auto version = MakeVersion({
      {.level = 1,
       .number = 1,
       .first = "a",
       .last = "c",
       .bytes = 2000,
       .last_sequence = 9},
      {.level = 1,
       .number = 2,
       .first = "c",
       .last = "e",
       .first_sequence = 8,
       .last_sequence = 9},
      {.level = 1, .number = 3, .first = "e", .last = "g", .first_sequence = 8},
      {.level = 1, .number = 4, .first = "h", .last = "i"},
      {.level = 2, .number = 5, .first = "f", .last = "j", .last_sequence = 9},
      {.level = 2, .number = 6, .first = "j", .last = "k", .first_sequence = 8},
  });
  const auto job = PickCompaction(*version, kLimits, {});
  ASSERT_TRUE(job);
  EXPECT_EQ(NumbersOf(job->upper), (Numbers{1, 2, 3}));
  EXPECT_EQ(NumbersOf(job->lower), (Numbers{5, 6}));
}

TEST(CompactPick, OfARangeTakesWhatOverlapsIt) {
  const auto version = MakeVersion({
      {.level = 1, .number = 1, .first = "a", .last = "c"},
      {.level = 1, .number = 2, .first = "d", .last = "f"},
      {.level = 1, .number = 3, .first = "g", .last = "i"},
      {.level = 2, .number = 4, .first = "e", .last = "g"},
  });
  const Slice from = "e";
  const Slice to = "g";
  const auto job = PickRange(*version, 1, 2, &from, &to);
  ASSERT_TRUE(job);
  EXPECT_EQ(NumbersOf(job->upper), (Numbers{2, 3}));
  EXPECT_EQ(NumbersOf(job->lower), Numbers{4});
  const auto all = PickRange(*version, 1, 2, nullptr, nullptr);
  ASSERT_TRUE(all);
  EXPECT_EQ(NumbersOf(all->upper), (Numbers{1, 2, 3}));
  EXPECT_FALSE(PickRange(*version, 3, 4, nullptr, nullptr));
  // A rewrite in place is no move, though nothing overlaps.
  EXPECT_FALSE(PickRange(*version, 2, 2, nullptr, nullptr)->is_move());
}

}  // namespace
}  // namespace tamis
