// SPDX-License-Identifier: Apache-2.0
#include "store/compact_pick.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/store/versions.h"

namespace tamis {
namespace {

using testing::InternalKey;
using testing::kSmallLimits;
using testing::MakeVersion;
using testing::Numbers;
using testing::NumbersOf;
using testing::TableAt;

// What a thread begins if the other one is idle.
std::optional<CompactionJob> Pick(const Version& version, JobSort sort) {
  return PickCompaction(version, kSmallLimits, sort, {});
}
// The same, of either sort.
std::optional<CompactionJob> Pick(const Version& version) {
  auto job = Pick(version, JobSort::kLevel0);
  return job ? job : Pick(version, JobSort::kBelow);
}
// What it begins while the other one runs a job.
std::optional<CompactionJob> PickBeside(const Version& version, JobSort sort,
                                        const CompactionJob& running) {
  return PickCompaction(version, kSmallLimits, sort, {.running = &running});
}

TEST(CompactionLimits, GrowByLevelAndNeverWrap) {
  EXPECT_EQ(kSmallLimits.LevelBytes(1), 1000u);
  EXPECT_EQ(kSmallLimits.LevelBytes(2), 10'000u);
  EXPECT_EQ(kSmallLimits.LevelBytes(5), 10'000'000u);
  CompactionLimits vast = kSmallLimits;
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
  EXPECT_DOUBLE_EQ(CompactionScore(*version, kSmallLimits, 0), 0.5);
  EXPECT_DOUBLE_EQ(CompactionScore(*version, kSmallLimits, 1), 0.5);
  EXPECT_DOUBLE_EQ(CompactionScore(*version, kSmallLimits, 2), 2.0);
  EXPECT_DOUBLE_EQ(CompactionScore(*version, kSmallLimits, 3), 0.0);
  EXPECT_DOUBLE_EQ(CompactionScore(*version, kSmallLimits, 6), 0.0);
}

TEST(CompactPick, PicksNothingWithinTheLimits) {
  EXPECT_FALSE(Pick(*MakeVersion({})));
  const auto version = MakeVersion(
      {{.level = 1, .number = 3, .first = "a", .last = "b", .bytes = 999}});
  EXPECT_FALSE(Pick(*version));
  EXPECT_EQ(CompactionDebt(*version, kSmallLimits), 0u);
}

TEST(CompactPick, PicksTheLevelInMostNeed) {
  const auto version = MakeVersion({
      {.level = 1, .number = 1, .first = "a", .last = "b", .bytes = 1500},
      {.level = 2, .number = 2, .first = "a", .last = "b", .bytes = 16'000},
  });
  const auto job = Pick(*version);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->level, 2);
  EXPECT_EQ(job->output_level, 3);
  EXPECT_TRUE(job->is_move());
  EXPECT_EQ(job->bytes(), 16'000u);
  EXPECT_GT(CompactionDebt(*version, kSmallLimits), 6000u);
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
  const auto job = Pick(*version);
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
  auto version = MakeVersion(tables);
  Numbers order;
  for (int i = 0; i < 6; ++i) {
    const auto job = Pick(*version);
    ASSERT_TRUE(job);
    ASSERT_EQ(job->upper.size(), 1u);
    order.push_back(job->upper.front()->number());
    VersionEdit edit;
    edit.compact_pointers.emplace_back(1, job->upper.front()->largest());
    version = *version->Apply(edit, testing::NoFiles());
  }
  EXPECT_EQ(order, (Numbers{1, 2, 3, 4, 5, 1}));
}

TEST(CompactPick, MovesOnlyATableThatNothingOverlaps) {
  const TableAt upper = {
      .level = 1, .number = 1, .first = "c", .last = "f", .bytes = 2000};
  const auto free = MakeVersion(
      {upper, {.level = 2, .number = 2, .first = "g", .last = "k"}});
  EXPECT_TRUE(Pick(*free)->is_move());
  const auto touching = MakeVersion(
      {upper, {.level = 2, .number = 2, .first = "f", .last = "k"}});
  EXPECT_FALSE(Pick(*touching)->is_move());
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
  const auto job = Pick(*version);
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

// Four tables of level 0 with keys from e to g, and levels that are too large.
std::vector<TableAt> Overflowing(std::uint64_t level1_bytes) {
  std::vector<TableAt> tables;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    tables.push_back({.level = 0, .number = i, .first = "e", .last = "g"});
  }
  tables.insert(
      tables.end(),
      {{.level = 1, .number = 11, .first = "a", .last = "b", .bytes = 10},
       {.level = 1,
        .number = 12,
        .first = "d",
        .last = "f",
        .bytes = level1_bytes},
       {.level = 1, .number = 13, .first = "x", .last = "z", .bytes = 10},
       {.level = 2, .number = 21, .first = "a", .last = "h", .bytes = 30'000},
       {.level = 3, .number = 31, .first = "f", .last = "z"}});
  return tables;
}

TEST(CompactPickOfTwo, Level0GoesBesideAMergeFurtherDown) {
  const auto version = MakeVersion(Overflowing(/*level1_bytes=*/500));
  const auto below = Pick(*version, JobSort::kBelow);
  ASSERT_TRUE(below);
  EXPECT_EQ(below->level, 2);
  EXPECT_EQ(below->output_level, 3);
  const auto above = PickBeside(*version, JobSort::kLevel0, *below);
  ASSERT_TRUE(above);
  EXPECT_EQ(above->level, 0);
  EXPECT_EQ(NumbersOf(above->lower), Numbers{12});
  EXPECT_FALSE(Conflict(version->order(), *above, *below));
  // It does not have to be running: both are ready, and need not wait.
  EXPECT_TRUE(Pick(*version, JobSort::kLevel0));
}

TEST(CompactPickOfTwo, OfJobsThatConflictTheMoreUrgentGoesFirst) {
  const auto level1 = MakeVersion(Overflowing(/*level1_bytes=*/5000));
  EXPECT_FALSE(Pick(*level1, JobSort::kLevel0));
  const auto below = Pick(*level1, JobSort::kBelow);
  ASSERT_TRUE(below);
  EXPECT_EQ(below->level, 1);
  EXPECT_FALSE(PickBeside(*level1, JobSort::kLevel0, *below));

  std::vector<TableAt> tables = Overflowing(/*level1_bytes=*/1200);
  tables[7].bytes = 100;  // level 2 is within its limit
  for (std::uint64_t i = 5; i <= 8; ++i) {
    tables.push_back({.level = 0, .number = i, .first = "e", .last = "g"});
  }
  const auto level0 = MakeVersion(tables);
  const auto above = Pick(*level0, JobSort::kLevel0);
  ASSERT_TRUE(above);
  EXPECT_EQ(above->upper.size(), 8u);
}

// Neither waits for the other for ever, whatever the levels have.
TEST(CompactPickOfTwo, OneOfTwoThreadsAlwaysBegins) {
  for (std::uint64_t level0 = 0; level0 < 12; ++level0) {
    for (const std::uint64_t level1 : {500u, 1000u, 2000u, 3000u}) {
      std::vector<TableAt> tables = Overflowing(level1);
      tables.erase(tables.begin(), tables.begin() + 4);
      for (std::uint64_t i = 1; i <= level0; ++i) {
        tables.push_back({.level = 0, .number = i, .first = "e", .last = "g"});
      }
      const auto version = MakeVersion(tables);
      EXPECT_TRUE(Pick(*version)) << level0 << ", " << level1;
    }
  }
}

TEST(CompactPickOfTwo, DoesNotWaitForAThreadThatHasFailed) {
  const auto version = MakeVersion(Overflowing(/*level1_bytes=*/5000));
  EXPECT_FALSE(Pick(*version, JobSort::kLevel0));
  EXPECT_TRUE(PickCompaction(*version, kSmallLimits, JobSort::kLevel0,
                             {.is_ready = false}));
}

// The tables of level 1 that level 0 is being merged with are in use; the next
// in turn that is not is taken.
TEST(CompactPickOfTwo, TakesATableThatIsNotInUse) {
  std::vector<TableAt> tables = Overflowing(/*level1_bytes=*/1000);
  tables[7].bytes = 100;
  VersionEdit edit = testing::EditOf(tables);
  edit.compact_pointers.emplace_back(1, InternalKey("c", 1));
  const auto version =
      *Version(KeyOrder(BytewiseComparator())).Apply(edit, testing::NoFiles());
  EXPECT_EQ(NumbersOf(Pick(*version, JobSort::kBelow)->upper), Numbers{12});
  const auto above = PickCompaction(*version, kSmallLimits, JobSort::kLevel0,
                                    {.is_ready = false});
  ASSERT_TRUE(above);
  const auto below = PickBeside(*version, JobSort::kBelow, *above);
  ASSERT_TRUE(below);
  EXPECT_EQ(NumbersOf(below->upper), Numbers{13});
}

TEST(CompactPickOfTwo, ConflictsAreOfLevelsAndOfKeys) {
  const auto version = MakeVersion({
      {.level = 1, .number = 1, .first = "a", .last = "c"},
      {.level = 1, .number = 2, .first = "g", .last = "i"},
      {.level = 2, .number = 3, .first = "b", .last = "f"},
      {.level = 2, .number = 4, .first = "h", .last = "k"},
      {.level = 3, .number = 5, .first = "f", .last = "g"},
  });
  const auto job = [&](int level, Slice from, Slice to) {
    return *PickRange(*version, level, level + 1, &from, &to);
  };
  const KeyOrder& order = version->order();
  const auto left = job(1, "a", "a");   // with table 3: to f
  const auto right = job(1, "h", "h");  // with table 4: from g
  EXPECT_FALSE(Conflict(order, left, right));
  EXPECT_FALSE(Conflict(order, right, left));
  const auto below = job(2, "d", "d");  // with table 5: to g
  EXPECT_TRUE(Conflict(order, left, below));
  EXPECT_TRUE(Conflict(order, below, right));             // g is in both
  EXPECT_FALSE(Conflict(order, job(3, "f", "f"), left));  // no common level
}

}  // namespace
}  // namespace tamis
