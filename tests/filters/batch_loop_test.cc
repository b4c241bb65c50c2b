// SPDX-License-Identifier: Apache-2.0
#include "filters/batch_loop.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

enum class Stage { kPrepare, kFinish };

struct Event {
  Stage stage;
  std::uint64_t key;
  friend bool operator==(const Event&, const Event&) = default;
};

std::vector<std::uint64_t> Keys(std::size_t count) {
  std::vector<std::uint64_t> keys(count);
  std::iota(keys.begin(), keys.end(), std::uint64_t{1000});
  return keys;
}

// No multiple of anything, so that neighbours differ.
bool IsMaybe(std::uint64_t key) { return key % 3 == 0 || key % 7 == 2; }

// The stages that keys 1000, 1001, ... go through, in time.
template <std::size_t kKeys, BatchOrder kOrder>
std::vector<Event> EventsOf(std::size_t count) {
  std::vector<Event> events;
  const std::vector<std::uint64_t> keys = Keys(count);
  const std::unique_ptr<bool[]> out = std::make_unique<bool[]>(count);
  CheckBatch<kKeys, kOrder>(
      std::span<const std::uint64_t>(keys), out.get(),
      [&](std::uint64_t key) {
        events.push_back({Stage::kPrepare, key});
        return key;
      },
      [&](std::uint64_t key) {
        events.push_back({Stage::kFinish, key});
        return false;
      });
  return events;
}

// Calls test.operator()<kKeys, kOrder>() for every kind of loop.
template <typename Test>
void ForEachLoop(const Test& test) {
  test.template operator()<1, BatchOrder::kPipelined>();
  test.template operator()<4, BatchOrder::kPipelined>();
  test.template operator()<32, BatchOrder::kPipelined>();
  test.template operator()<1, BatchOrder::kInTurn>();
  test.template operator()<4, BatchOrder::kInTurn>();
  test.template operator()<32, BatchOrder::kInTurn>();
}

// Around every border between groups, and many groups.
std::vector<std::size_t> CountsFor(std::size_t group) {
  return {0,         1,         group - 1,     group, group + 1,
          2 * group, 3 * group, 3 * group + 1, 1000};
}

TEST(BatchLoop, AnswersAreThoseOfTheSingleCheck) {
  ForEachLoop([]<std::size_t kKeys, BatchOrder kOrder>() {
    for (const std::size_t count : CountsFor(kKeys)) {
      const std::vector<std::uint64_t> keys = Keys(count);
      // One more on either side, which must stay as it is.
      std::vector<char> bytes(count + 2, 2);
      auto* out = reinterpret_cast<bool*>(bytes.data()) + 1;
      CheckBatch<kKeys, kOrder>(
          std::span<const std::uint64_t>(keys), out,
          [](std::uint64_t key) { return key * 10; },
          [](std::uint64_t prepared) { return IsMaybe(prepared / 10); });
      EXPECT_EQ(bytes.front(), 2);
      EXPECT_EQ(bytes.back(), 2);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(bytes[i + 1], IsMaybe(keys[i]) ? 1 : 0)
            << i << " of " << count << " in groups of " << kKeys;
      }
    }
  });
}

TEST(BatchLoop, PreparesEachKeyOnceAndBeforeItsCheck) {
  ForEachLoop([]<std::size_t kKeys, BatchOrder kOrder>() {
    for (const std::size_t count : CountsFor(kKeys)) {
      const std::vector<Event> events = EventsOf<kKeys, kOrder>(count);
      ASSERT_EQ(events.size(), 2 * count);
      std::vector<std::uint64_t> prepared;
      std::vector<std::uint64_t> finished;
      for (const Event& event : events) {
        if (event.stage == Stage::kPrepare) {
          prepared.push_back(event.key);
        } else {
          finished.push_back(event.key);
        }
        ASSERT_LE(finished.size(), prepared.size());
      }
      // Both in the order of the keys: then each came before its check.
      EXPECT_EQ(prepared, Keys(count));
      EXPECT_EQ(finished, Keys(count));
    }
  });
}

TEST(BatchLoop, PreparesTheNextGroupBeforeItFinishesAGroup) {
  constexpr Stage kPrepare = Stage::kPrepare;
  constexpr Stage kFinish = Stage::kFinish;
  EXPECT_EQ((EventsOf<2, BatchOrder::kPipelined>(5)),
            (std::vector<Event>{{kPrepare, 1000},
                                {kPrepare, 1001},
                                {kPrepare, 1002},
                                {kPrepare, 1003},
                                {kFinish, 1000},
                                {kFinish, 1001},
                                {kPrepare, 1004},
                                {kFinish, 1002},
                                {kFinish, 1003},
                                {kFinish, 1004}}));
}

TEST(BatchLoop, FinishesEachGroupBeforeItPreparesTheNextIfToldSo) {
  constexpr Stage kPrepare = Stage::kPrepare;
  constexpr Stage kFinish = Stage::kFinish;
  EXPECT_EQ((EventsOf<2, BatchOrder::kInTurn>(3)),
            (std::vector<Event>{{kPrepare, 1000},
                                {kPrepare, 1001},
                                {kFinish, 1000},
                                {kFinish, 1001},
                                {kPrepare, 1002},
                                {kFinish, 1002}}));
}

// What kernels rely on: whole groups, the last aside, and none empty.
TEST(BatchLoop, FinishesWholeGroupsAndSaysWhereTheyBegin) {
  ForEachLoop([]<std::size_t kKeys, BatchOrder kOrder>() {
    for (const std::size_t count : CountsFor(kKeys)) {
      const std::vector<std::uint64_t> keys = Keys(count);
      std::size_t done = 0;
      ForEachPrepared<kKeys, kOrder>(
          std::span<const std::uint64_t>(keys),
          [](std::uint64_t key) { return key; },
          [&](std::size_t first, std::span<const std::uint64_t> group) {
            EXPECT_EQ(first, done);
            EXPECT_EQ(group.size(), std::min(kKeys, count - first));
            EXPECT_FALSE(group.empty());
            EXPECT_TRUE(std::equal(group.begin(), group.end(),
                                   keys.begin() + static_cast<long>(first)));
            done += group.size();
          });
      EXPECT_EQ(done, count);
    }
  });
}

TEST(BatchLoop, NeverPreparesNorFinishesAnEmptyGroup) {
  ForEachLoop([]<std::size_t kKeys, BatchOrder kOrder>() {
    for (const std::size_t count : CountsFor(kKeys)) {
      const std::vector<std::uint64_t> keys = Keys(count);
      ForEachGroup<std::vector<std::uint64_t>, kKeys, kOrder>(
          std::span<const std::uint64_t>(keys),
          [](std::span<const std::uint64_t> some,
             std::vector<std::uint64_t>* group) {
            EXPECT_FALSE(some.empty());
            group->assign(some.begin(), some.end());
          },
          [&](std::size_t first, std::size_t size,
              const std::vector<std::uint64_t>& group) {
            EXPECT_GT(size, 0u);
            ASSERT_EQ(group.size(), size);
            EXPECT_EQ(group.front(), keys[first]);
          });
    }
  });
}

TEST(BatchLoop, StaysSoManyGroupsAheadAsRequested) {
  constexpr std::size_t kGroup = 4;
  constexpr std::size_t kMaxAhead = 5;
  for (std::size_t ahead = 0; ahead <= kMaxAhead; ++ahead) {
    for (const std::size_t count : CountsFor(kGroup)) {
      const std::vector<std::uint64_t> keys = Keys(count);
      std::size_t prepared = 0;
      std::size_t finished = 0;
      ForEachGroupAhead<std::vector<std::uint64_t>, kGroup, kMaxAhead>(
          std::span<const std::uint64_t>(keys), ahead,
          [&](std::span<const std::uint64_t> some,
              std::vector<std::uint64_t>* group) {
            EXPECT_EQ(some.size(), std::min(kGroup, count - prepared));
            EXPECT_EQ(some.front(), keys[prepared]);
            EXPECT_LE(prepared - finished, ahead * kGroup);
            group->assign(some.begin(), some.end());
            prepared += some.size();
          },
          [&](std::size_t first, std::size_t size,
              std::vector<std::uint64_t>& group) {
            EXPECT_EQ(first, finished);
            EXPECT_EQ(group.size(), size);
            EXPECT_TRUE(std::equal(group.begin(), group.end(),
                                   keys.begin() + static_cast<long>(first)));
            // So far ahead, or at the end.
            EXPECT_TRUE(prepared - finished > ahead * kGroup ||
                        prepared == count);
            group.clear();  // a group is not read after it was finished
            finished += size;
          });
      EXPECT_EQ(finished, count);
    }
  }
}

}  // namespace
}  // namespace tamis
