// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "filters/ribbon/coefficients.h"
#include "filters/ribbon/fallback.h"
#include "hash/splitmix64.h"
#include "tests/support/random.h"

namespace tamis {
namespace {

using testing::Hashes;
using testing::RandomHashes;
using testing::Sorted;

// The table alone, in memory of its exact size.
struct Table {
  BumpedFallback last;
  std::unique_ptr<unsigned char[]> bytes;

  Table(const Hashes& hashes, unsigned columns, unsigned attempts) {
    std::string dst = "before";
    last = BuildBumpedFallback(hashes, columns, attempts, &dst);
    EXPECT_EQ(dst.substr(0, 6), "before");
    EXPECT_EQ(dst.size() - 6, last.bytes());
    bytes.reset(new unsigned char[dst.size() - 6]);
    std::memcpy(bytes.get(), dst.data() + 6, dst.size() - 6);
  }
  bool Has(std::uint64_t hash) const {
    return CheckBumpedFallback(last, bytes.get(), hash);
  }
  // The same, one bit at a time.
  bool HasByBits(std::uint64_t hash) const {
    const std::uint64_t seeded =
        SplitMix64(hash ^ (std::uint64_t{last.attempt} << 32));
    const std::uint32_t window = std::min<std::uint32_t>(last.rows, 64);
    const std::uint64_t start = MultiplyHigh(seeded, last.rows - window + 1);
    const auto key = BumpedKeyOf<std::uint64_t>(seeded);
    for (unsigned column = 0; column < last.columns; ++column) {
      bool sum = (key.fingerprint >> column & 1) != 0;
      for (unsigned i = 0; i < window; ++i) {
        const std::uint64_t at = std::uint64_t{column} * last.rows + start + i;
        sum ^= (key.coefficients >> i & 1) != 0 &&
               (bytes[at / 8] >> (at % 8) & 1) != 0;
      }
      if (sum) return false;
    }
    return true;
  }
};

TEST(BumpedFallback, HoldsAnyNumberOfKeysInAnyNumberOfColumns) {
  for (unsigned keys = 0; keys <= 300; ++keys) {
    const Hashes hashes = Sorted(RandomHashes(keys, keys));
    for (unsigned columns = 1 + keys % 3; columns <= 32; columns += 3) {
      const Table table(hashes, columns, BumpedFallback::kListed);
      ASSERT_NE(table.last.attempt, BumpedFallback::kListed);
      ASSERT_LT(table.last.attempt, 60u) << keys;
      ASSERT_EQ(table.last.rows == 0, keys == 0);
      EXPECT_LE(table.last.rows, BumpedLastRows(keys) + table.last.attempt / 2);
      for (const std::uint64_t hash : hashes) {
        ASSERT_TRUE(table.Has(hash)) << keys << ", " << columns;
      }
    }
  }
}

TEST(BumpedFallback, AgreesWithASlowTableOnStrangers) {
  std::mt19937_64 random(1);
  for (const std::size_t keys : {1u, 2u, 3u, 30u, 61u, 62u, 63u, 64u, 200u}) {
    for (unsigned columns = 1; columns <= 32; ++columns) {
      const Table table(Sorted(RandomHashes(keys, columns)), columns,
                        BumpedFallback::kListed);
      for (unsigned i = 0; i < 50; ++i) {
        const std::uint64_t hash = random();
        ASSERT_EQ(table.Has(hash), table.HasByBits(hash));
      }
    }
  }
}

TEST(BumpedFallback, WithoutKeysNothingIsIn) {
  const Table table({}, 8, BumpedFallback::kListed);
  EXPECT_EQ(table.last.bytes(), 0u);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_FALSE(table.Has(i));
}

TEST(BumpedFallback, ListsTheHashesWhereNoTableIsFound) {
  for (const std::size_t keys : {1u, 2u, 3u, 4u, 100u, 101u}) {
    const Hashes hashes = Sorted(RandomHashes(keys, keys));
    const Table table(hashes, 8, 0);
    EXPECT_EQ(table.last.attempt, BumpedFallback::kListed);
    EXPECT_EQ(table.last.bytes(), 8 * keys);
    for (const std::uint64_t hash : hashes) {
      EXPECT_TRUE(table.Has(hash));
      EXPECT_FALSE(table.Has(hash + 1));
      EXPECT_FALSE(table.Has(hash - 1));
    }
    EXPECT_FALSE(table.Has(0));
    EXPECT_FALSE(table.Has(~std::uint64_t{0}));
  }
  // More than a table may have rows.
  const Hashes many = Sorted(RandomHashes(70'000, 1));
  const Table table(many, 1, BumpedFallback::kListed);
  EXPECT_EQ(table.last.attempt, BumpedFallback::kListed);
  EXPECT_EQ(table.last.hashes, many.size());
  EXPECT_TRUE(table.Has(many.front()) && table.Has(many.back()));
}

// What the layers cannot use: up to about nine thousand at one column.
TEST(BumpedFallback, ThousandsOfKeysFitAtTheFirstAttempts) {
  for (const std::size_t keys : {1000u, 5000u, 10'000u, 30'000u}) {
    const Hashes hashes = Sorted(RandomHashes(keys, 5));
    const Table table(hashes, 2, BumpedFallback::kListed);
    EXPECT_LT(table.last.attempt, 20u) << keys;
    EXPECT_TRUE(std::all_of(hashes.begin(), hashes.end(),
                            [&](std::uint64_t d) { return table.Has(d); }));
  }
}

// A file may name any rows and seed; what is read stays within its bytes.
TEST(BumpedFallback, ReadsNothingOutsideItsBytesWhateverTheRows) {
  std::mt19937_64 random(6);
  for (std::uint32_t rows = 1; rows < 140; ++rows) {
    for (const unsigned columns : {1u, 2u, 7u, 8u, 31u, 32u}) {
      const BumpedFallback last{
          .columns = columns,
          .rows = rows,
          .attempt = static_cast<unsigned>(random() % 255)};
      const auto size = static_cast<std::size_t>(last.bytes());
      const std::unique_ptr<unsigned char[]> bytes(new unsigned char[size]());
      for (unsigned i = 0; i < 30; ++i) {
        CheckBumpedFallback(last, bytes.get(), random());
      }
    }
  }
}

}  // namespace
}  // namespace tamis
