// SPDX-License-Identifier: Apache-2.0
#include "sort/hash_buckets.h"

#include <algorithm>
#include <random>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

std::vector<std::uint64_t> Contents(const HashBuckets& buckets) {
  std::vector<std::uint64_t> all;
  buckets.ForEach([&](std::span<const std::uint64_t> some) {
    all.insert(all.end(), some.begin(), some.end());
  });
  return all;
}

constexpr std::uint64_t kBucketsSpreadAt = 1 << 17;

TEST(HashBuckets, GivesBackEveryHashOfEveryNumber) {
  for (std::uint64_t count :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{510},
        std::uint64_t{511}, std::uint64_t{512}, std::uint64_t{5000},
        kBucketsSpreadAt - 1, kBucketsSpreadAt, kBucketsSpreadAt + 1,
        3 * kBucketsSpreadAt}) {
    std::mt19937_64 random(count);
    HashBuckets buckets;
    std::vector<std::uint64_t> expected(count);
    for (std::uint64_t& hash : expected) {
      hash = random();
      ASSERT_TRUE(buckets.PushBack(hash));
    }
    EXPECT_EQ(buckets.size(), count);
    std::vector<std::uint64_t> all = Contents(buckets);
    std::sort(all.begin(), all.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(all, expected) << count;
  }
}

TEST(HashBuckets, ManyComeBackInTheOrderOfTheirUpperBits) {
  std::mt19937_64 random(1);
  HashBuckets buckets;
  for (std::uint64_t i = 0; i < 2 * kBucketsSpreadAt; ++i) {
    ASSERT_TRUE(buckets.PushBack(random()));
  }
  const std::vector<std::uint64_t> all = Contents(buckets);
  EXPECT_TRUE(std::is_sorted(
      all.begin(), all.end(),
      [](std::uint64_t a, std::uint64_t b) { return (a >> 56) < (b >> 56); }));
}

TEST(HashBuckets, EqualHashesAllStay) {
  HashBuckets buckets;
  for (std::uint64_t i = 0; i < kBucketsSpreadAt + 1000; ++i) {
    ASSERT_TRUE(buckets.PushBack(~std::uint64_t{0}));
  }
  const std::vector<std::uint64_t> all = Contents(buckets);
  EXPECT_EQ(all.size(), kBucketsSpreadAt + 1000);
  EXPECT_EQ(static_cast<std::uint64_t>(
                std::count(all.begin(), all.end(), ~std::uint64_t{0})),
            all.size());
}

template <typename Hash>
Hash HashOf(std::uint64_t random) {
  if constexpr (std::is_same_v<Hash, HashPair>) {
    return {random, 0};
  } else {
    return static_cast<Hash>(random);
  }
}

template <typename Hash>
class EveryHashBuckets : public ::testing::Test {};
using HashTypes = ::testing::Types<std::uint32_t, std::uint64_t, HashPair>;
TYPED_TEST_SUITE(EveryHashBuckets, HashTypes);

TYPED_TEST(EveryHashBuckets, TellHowManyDiffer) {
  for (const std::uint64_t distinct :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{600},
        std::uint64_t{5000}, kBucketsSpreadAt - 1, kBucketsSpreadAt}) {
    HashBucketsOf<TypeParam> buckets;
    // 2^32 has no divisor in common with an odd factor: all differ.
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    for (int round = 0; round < 3; ++round) {
      for (std::uint64_t i = 0; i < distinct; ++i) {
        ASSERT_TRUE(buckets.PushBack(HashOf<TypeParam>(i * kOdd)));
      }
    }
    EXPECT_EQ(buckets.size(), 3 * distinct);
    EXPECT_EQ(buckets.CountDistinct(), distinct);
    std::uint64_t given = 0;
    buckets.ForEach([&](auto some) { given += some.size(); });
    EXPECT_EQ(given, 3 * distinct);
  }
}

// All in one bucket, which is then much larger than its share.
TYPED_TEST(EveryHashBuckets, CountFewThatComeOverAndOver) {
  HashBucketsOf<TypeParam> buckets;
  for (std::uint64_t i = 0; i < 3 * kBucketsSpreadAt; ++i) {
    ASSERT_TRUE(buckets.PushBack(HashOf<TypeParam>(i % 7)));
  }
  EXPECT_EQ(buckets.CountDistinct(), 7u);
}

// Different ones that are no hashes: they all fall into the first bucket.
TEST(HashBuckets, CountsWhatIsNotSpreadEvenly) {
  HashBuckets buckets;
  for (std::uint64_t i = 0; i < 2 * kBucketsSpreadAt; ++i) {
    ASSERT_TRUE(buckets.PushBack(i));
  }
  EXPECT_EQ(buckets.CountDistinct(), 2 * kBucketsSpreadAt);
}

}  // namespace
}  // namespace tamis
