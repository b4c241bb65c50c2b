#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "filters/ribbon/coefficients.h"
#include "filters/ribbon/fallback.h"
#include "hash/splitmix64.h"

namespace tamis {
namespace {

using Digests = std::vector<std::uint64_t>;

Digests RandomDigests(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Digests digests;
  for (std::size_t i = 0; i < count; ++i) digests.push_back(random());
  std::sort(digests.begin(), digests.end());
  return digests;
}

// The table alone, in memory of its exact size.
struct Table {
  BumpedLast last;
  std::unique_ptr<unsigned char[]> bytes;

  Table(const Digests& digests, unsigned columns, unsigned attempts) {
    std::string dst = "before";
    last = BuildBumpedLast(digests, columns, attempts, &dst);
    EXPECT_EQ(dst.substr(0, 6), "before");
    EXPECT_EQ(dst.size() - 6, last.bytes());
    bytes.reset(new unsigned char[dst.size() - 6]);
    std::memcpy(bytes.get(), dst.data() + 6, dst.size() - 6);
  }
  bool Has(std::uint64_t digest) const {
    return CheckBumpedLast(last, bytes.get(), digest);
  }
  // The same, one bit at a time.
  bool HasByBits(std::uint64_t digest) const {
    const std::uint64_t seeded =
        SplitMix64(digest ^ (std::uint64_t{last.attempt} << 32));
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

TEST(BumpedLast, HoldsAnyNumberOfKeysInAnyNumberOfColumns) {
  for (unsigned keys = 0; keys <= 300; ++keys) {
    const Digests digests = RandomDigests(keys, keys);
    for (unsigned columns = 1 + keys % 3; columns <= 32; columns += 3) {
      const Table table(digests, columns, BumpedLast::kListed);
      ASSERT_NE(table.last.attempt, BumpedLast::kListed);
      ASSERT_LT(table.last.attempt, 60u) << keys;
      ASSERT_EQ(table.last.rows == 0, keys == 0);
      EXPECT_LE(table.last.rows, BumpedLastRows(keys) + table.last.attempt / 2);
      for (const std::uint64_t digest : digests) {
        ASSERT_TRUE(table.Has(digest)) << keys << ", " << columns;
      }
    }
  }
}

TEST(BumpedLast, AgreesWithASlowTableOnStrangers) {
  std::mt19937_64 random(1);
  for (const std::size_t keys : {1u, 2u, 3u, 30u, 61u, 62u, 63u, 64u, 200u}) {
    for (unsigned columns = 1; columns <= 32; ++columns) {
      const Table table(RandomDigests(keys, columns), columns,
                        BumpedLast::kListed);
      for (unsigned i = 0; i < 50; ++i) {
        const std::uint64_t digest = random();
        ASSERT_EQ(table.Has(digest), table.HasByBits(digest));
      }
    }
  }
}

TEST(BumpedLast, WithoutKeysNothingIsIn) {
  const Table table({}, 8, BumpedLast::kListed);
  EXPECT_EQ(table.last.bytes(), 0u);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_FALSE(table.Has(i));
}

TEST(BumpedLast, ListsTheDigestsWhereNoTableIsFound) {
  for (const std::size_t keys : {1u, 2u, 3u, 4u, 100u, 101u}) {
    const Digests digests = RandomDigests(keys, keys);
    const Table table(digests, 8, 0);
    EXPECT_EQ(table.last.attempt, BumpedLast::kListed);
    EXPECT_EQ(table.last.bytes(), 8 * keys);
    for (const std::uint64_t digest : digests) {
      EXPECT_TRUE(table.Has(digest));
      EXPECT_FALSE(table.Has(digest + 1));
      EXPECT_FALSE(table.Has(digest - 1));
    }
    EXPECT_FALSE(table.Has(0));
    EXPECT_FALSE(table.Has(~std::uint64_t{0}));
  }
  // More than a table may have rows.
  const Digests many = RandomDigests(70'000, 1);
  const Table table(many, 1, BumpedLast::kListed);
  EXPECT_EQ(table.last.attempt, BumpedLast::kListed);
  EXPECT_EQ(table.last.digests, many.size());
  EXPECT_TRUE(table.Has(many.front()) && table.Has(many.back()));
}

// What the layers cannot use: up to about nine thousand at one column.
TEST(BumpedLast, ThousandsOfKeysFitAtTheFirstAttempts) {
  for (const std::size_t keys : {1000u, 5000u, 10'000u, 30'000u}) {
    const Digests digests = RandomDigests(keys, 5);
    const Table table(digests, 2, BumpedLast::kListed);
    EXPECT_LT(table.last.attempt, 20u) << keys;
    EXPECT_TRUE(std::all_of(digests.begin(), digests.end(),
                            [&](std::uint64_t d) { return table.Has(d); }));
  }
}

// A file may name any rows and seed; what is read stays within its bytes.
TEST(BumpedLast, ReadsNothingOutsideItsBytesWhateverTheRows) {
  std::mt19937_64 random(6);
  for (std::uint32_t rows = 1; rows < 140; ++rows) {
    for (const unsigned columns : {1u, 2u, 7u, 8u, 31u, 32u}) {
      const BumpedLast last{.columns = columns,
                            .rows = rows,
                            .attempt = static_cast<unsigned>(random() % 255)};
      const auto size = static_cast<std::size_t>(last.bytes());
      const std::unique_ptr<unsigned char[]> bytes(new unsigned char[size]());
      for (unsigned i = 0; i < 30; ++i) {
        CheckBumpedLast(last, bytes.get(), random());
      }
    }
  }
}

}  // namespace
}  // namespace tamis
