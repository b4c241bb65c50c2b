// SPDX-License-Identifier: Apache-2.0
#include "filters/batch_plan.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace tamis {
namespace {

constexpr std::uint64_t kKibibyte = 1024;
constexpr std::uint64_t kMebibyte = 1024 * kKibibyte;

constexpr CacheSizes kZen3 = {.l1d = 32 * kKibibyte, .l2 = 512 * kKibibyte};
constexpr CacheSizes kZen4 = {.l1d = 32 * kKibibyte, .l2 = kMebibyte};
constexpr CacheSizes kSapphireRapids = {.l1d = 48 * kKibibyte,
                                        .l2 = 2 * kMebibyte};

std::size_t Ahead(std::uint64_t bytes, std::size_t lines,
                  const CacheSizes& caches, std::size_t max_ahead = 100) {
  return PlanBatch({.filter_bytes = bytes,
                    .lines_per_key = lines,
                    .group_keys = 16,
                    .max_ahead = max_ahead},
                   caches)
      .ahead;
}

TEST(BatchPlan, AFilterWithinTheSecondLevelCacheIsNotPreparedAhead) {
  for (const CacheSizes& caches : {kZen3, kZen4, kSapphireRapids}) {
    EXPECT_EQ(Ahead(1, 1, caches), 0u);
    EXPECT_EQ(Ahead(caches.l2, 1, caches), 0u);
    EXPECT_GT(Ahead(caches.l2 + 1, 1, caches), 0u);
  }
}

TEST(BatchPlan, LinesAheadAreAsManyAsAQuarterOfTheFirstLevelCacheHas) {
  EXPECT_EQ(Ahead(kMebibyte * 100, 1, kZen3), 8u);  // groups of 16 keys: 128
  EXPECT_EQ(Ahead(kMebibyte * 100, 2, kZen3), 4u);
  EXPECT_EQ(Ahead(kMebibyte * 100, 1, kZen4), 8u);
  EXPECT_EQ(Ahead(kMebibyte * 100, 1, kSapphireRapids), 12u);
  EXPECT_EQ(Ahead(kMebibyte * 100, 2, kSapphireRapids), 6u);
}

// They are prefetched into it, and must not evict each other.
TEST(BatchPlan, AllPreparedLinesAreASmallPartOfTheSecondLevelCache) {
  constexpr CacheSizes kSmallest = {.l1d = 32 * kKibibyte,
                                    .l2 = 256 * kKibibyte};
  for (const CacheSizes& caches : {kSmallest, kZen3, kZen4, kSapphireRapids}) {
    for (const std::size_t lines : {1u, 2u}) {
      const std::size_t groups = Ahead(kMebibyte * 100, lines, caches) + 1;
      EXPECT_LE(groups * 16 * lines * 64, caches.l2 / 16);
    }
  }
}

TEST(BatchPlan, IsAtLeastOneGroupAheadAndAtMostWhatTheLoopHasMemoryFor) {
  EXPECT_EQ(Ahead(kMebibyte * 100, 8, kZen3), 1u);
  EXPECT_EQ(Ahead(kMebibyte * 100, 64, kZen3), 1u);
  EXPECT_EQ(Ahead(kMebibyte * 100, 1, kZen3, 5), 5u);
}

TEST(BatchPlan, CachesThatAreNotReportedCountAsSmallOnes) {
  EXPECT_EQ(Ahead(256 * kKibibyte, 1, {}), 0u);
  EXPECT_EQ(Ahead(256 * kKibibyte + 1, 1, {}), 8u);
  EXPECT_EQ(Ahead(256 * kKibibyte + 1, 1, {.l1d = 0, .l2 = kMebibyte}), 0u);
}

}  // namespace
}  // namespace tamis
