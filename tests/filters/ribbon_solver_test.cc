// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filters/ribbon/build.h"
#include "filters/ribbon/query.h"
#include "filters/ribbon/solver.h"
#include "sort/hash_set.h"
#include "tests/support/random.h"

namespace tamis {
namespace {

using testing::Hashes;
using testing::RandomHashes;
using testing::Sorted;

constexpr std::uint32_t kOneColumn = 1u << kColumnFractionBits;

struct Solved {
  std::unique_ptr<unsigned char[]> bytes;  // of the exact size
  Hashes bumped;
};

Solved Solve(const BumpedLayer& layer, const Hashes& hashes) {
  const auto size = static_cast<std::size_t>(layer.bytes());
  Solved solved{std::unique_ptr<unsigned char[]>(new unsigned char[size]), {}};
  std::fill_n(solved.bytes.get(), size, static_cast<unsigned char>(0xa5));
  BumpedSolver solver(layer);
  for (std::uint64_t part = 0; part < layer.parts();
       part += BumpedSolver::kPartsAtOnce) {
    const auto at = [&](std::uint64_t first) {
      const std::uint64_t bucket = first * layer.shape().part_buckets();
      return bucket >= layer.buckets()
                 ? hashes.end()
                 : std::lower_bound(hashes.begin(), hashes.end(),
                                    layer.FirstHashOf(bucket));
    };
    solver.Solve(part, {at(part), at(part + BumpedSolver::kPartsAtOnce)},
                 solved.bytes.get(), &solved.bumped);
  }
  return solved;
}

bool Check(const BumpedLayer& layer, const unsigned char* bytes,
           std::uint64_t hash) {
  const BumpedPlace place = layer.PlaceOf(hash);
  return layer.shape().window == 64
             ? CheckBumpedKey<std::uint64_t>(layer, bytes, hash, place)
             : CheckBumpedKey<Uint128>(layer, bytes, hash, place);
}

// Bumped are those that the levels say, and all the others check out.
// Returns how many were bumped.
std::size_t ExpectSolved(const BumpedLayer& layer, const Hashes& hashes) {
  const Solved solved = Solve(layer, hashes);
  Hashes bumped;
  unsigned wrong = 0;
  for (const std::uint64_t hash : hashes) {
    const BumpedPlace place = layer.PlaceOf(hash);
    const unsigned level = BumpedLevel(layer, solved.bytes.get(), place.bucket);
    if (place.row < layer.shape().Threshold(level)) {
      bumped.push_back(hash);
    } else {
      wrong += Check(layer, solved.bytes.get(), hash) ? 0u : 1u;
    }
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(bumped, solved.bumped);
  return bumped.size();
}

std::uint64_t BucketsFor(const BumpedLayout& shape, std::size_t keys,
                         double load) {
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(static_cast<double>(keys) /
                                    (load * shape.bucket_rows())));
}

TEST(BumpedSolver, EveryKeyIsInItsTableOrBumpedWithAnyNumberOfColumns) {
  for (std::uint32_t columns = 1; columns <= 32; ++columns) {
    for (const std::uint32_t fraction :
         {0u, 1u, kOneColumn / 3, kOneColumn - 1}) {
      if (columns == 32 && fraction > 0) break;
      const BumpedLayout shape =
          BumpedLayout::Of(columns * kOneColumn + fraction);
      const Hashes hashes = Sorted(RandomHashes(4000, columns + fraction));
      for (const double load : {0.5, 1.03, 1.3}) {
        SCOPED_TRACE(std::to_string(columns) + " " + std::to_string(fraction));
        const BumpedLayer layer(shape, BucketsFor(shape, hashes.size(), load));
        const std::size_t bumped = ExpectSolved(layer, hashes);
        if (load < 1) {
          EXPECT_LT(bumped, 1000u);
        }
        // Nearly every row is used, where the load is one that bumping part of
        // a bucket can mend.
        const std::uint64_t rows = layer.buckets() * shape.bucket_rows();
        if (load == 1.03) {
          EXPECT_GT(hashes.size() - bumped, rows * 93 / 100);
        }
      }
    }
  }
}

// Parts are solved four at a time, the rest alone, up to eight in a call.
TEST(BumpedSolver, AnyNumberOfPartsIsSolved) {
  struct Case {
    std::uint32_t columns;
    double parts;
  };
  constexpr std::uint32_t kMore = 3 * kOneColumn + kOneColumn / 2;
  for (const Case& c :
       {Case{kOneColumn, 1.01}, Case{kOneColumn, 5.5}, Case{kMore, 0.99},
        Case{kMore, 1.0}, Case{kMore, 3.5}, Case{kMore, 4.0}, Case{kMore, 8.1},
        Case{8 * kOneColumn, 9.0}}) {
    const BumpedLayout shape = BumpedLayout::Of(c.columns);
    const BumpedLayer layer(
        shape, static_cast<std::uint64_t>(c.parts * shape.part_buckets()));
    const auto keys = static_cast<std::size_t>(
        1.03 * static_cast<double>(layer.buckets() * shape.bucket_rows()));
    // Not all parts as full, so that some are done before others.
    Hashes hashes = Sorted(RandomHashes(keys, c.columns));
    std::erase_if(hashes, [](std::uint64_t hash) {
      return hash >> 60 == 3 && hash % 4 != 0;
    });
    SCOPED_TRACE(c.parts);
    const std::size_t bumped = ExpectSolved(layer, hashes);
    EXPECT_LT(bumped, hashes.size() / 12);
  }
}

TEST(BumpedSolver, TheBytesOfAPartDependOnItsOwnKeysAlone) {
  const BumpedLayout shape = BumpedLayout::Of(5 * kOneColumn);
  const BumpedLayer layer(shape, 3 * shape.part_buckets());
  const Hashes hashes = Sorted(RandomHashes(3 * 65'000, 3));
  const Solved all = Solve(layer, hashes);
  const std::uint64_t first = layer.FirstHashOf(shape.part_buckets());
  const std::uint64_t end = layer.FirstHashOf(2 * shape.part_buckets());
  Hashes middle;
  std::copy_if(hashes.begin(), hashes.end(), std::back_inserter(middle),
               [=](std::uint64_t d) { return d >= first && d < end; });
  const Solved one = Solve(layer, middle);
  const auto at = static_cast<std::ptrdiff_t>(layer.bytes() / 3);
  EXPECT_TRUE(std::equal(all.bytes.get() + at, all.bytes.get() + 2 * at,
                         one.bytes.get() + at));
}

TEST(BumpedSolver, WithoutKeysAllBytesAreZero) {
  for (const std::uint32_t columns :
       {kOneColumn, 2 * kOneColumn, 7 * kOneColumn + 5}) {
    const BumpedLayout shape = BumpedLayout::Of(columns);
    for (const std::uint64_t buckets : {1u, 7u, 513u}) {
      const BumpedLayer layer(shape, buckets);
      const Solved solved = Solve(layer, {});
      EXPECT_TRUE(solved.bumped.empty());
      EXPECT_EQ(
          std::count(solved.bytes.get(), solved.bytes.get() + layer.bytes(), 0),
          static_cast<std::ptrdiff_t>(layer.bytes()));
    }
  }
}

// Hashes that no honest hash gives.
TEST(BumpedSolver, HashesWithoutEntropyAreBumpedNotLost) {
  for (const std::uint32_t columns :
       {kOneColumn, 2 * kOneColumn + 9, 3 * kOneColumn, 8 * kOneColumn,
        31 * kOneColumn + kOneColumn / 2}) {
    const BumpedLayout shape = BumpedLayout::Of(columns);
    const BumpedLayer layer(shape, 20);
    SCOPED_TRACE(columns);
    for (const std::uint64_t start :
         {std::uint64_t{0}, layer.FirstHashOf(7), layer.FirstHashOf(19),
          ~std::uint64_t{0} - 4999}) {
      Hashes counted;  // all start at one row
      for (std::uint64_t i = 0; i < 5000; ++i) counted.push_back(start + i);
      const std::size_t bumped = ExpectSolved(layer, counted);
      EXPECT_GT(bumped, 4300u);
    }
    Hashes one_bucket;
    std::mt19937_64 random(4);
    const std::uint64_t first = layer.FirstHashOf(5);
    for (unsigned i = 0; i < 3000; ++i) {
      one_bucket.push_back(first + random() % (layer.FirstHashOf(6) - first));
    }
    EXPECT_GT(ExpectSolved(layer, Sorted(one_bucket)), 2300u);
    Hashes few_bits;
    for (std::uint64_t i = 0; i < 4096; ++i) few_bits.push_back(i << 52);
    ExpectSolved(layer, few_bits);
    Hashes powers = {0, ~std::uint64_t{0}};
    for (unsigned i = 0; i < 64; ++i) powers.push_back(std::uint64_t{1} << i);
    ExpectSolved(layer, Sorted(powers));
  }
}

// What is far too much for every bucket is bumped as a whole.
TEST(BumpedSolver, TwiceAsManyKeysAsRowsAreBumpedNotLost) {
  for (const std::uint32_t columns :
       {kOneColumn, 2 * kOneColumn, 3 * kOneColumn, 9 * kOneColumn}) {
    const BumpedLayer layer(BumpedLayout::Of(columns), 30);
    const std::uint64_t rows = 30 * layer.shape().bucket_rows();
    const Hashes hashes = Sorted(RandomHashes(2 * rows, 8));
    EXPECT_GE(ExpectSolved(layer, hashes), rows - rows / 50);
  }
}

// The first and the last hash of every part, in buckets that have room for
// them.
TEST(BumpedBuild, HashesAtTheBordersOfPartsAreNotLost) {
  const std::uint32_t columns = 20 * kOneColumn;
  const BumpedLayout shape = BumpedLayout::Of(columns);
  constexpr std::uint64_t kBuckets = 16 * 512 + 300;
  const BumpedLayer layer(shape, kBuckets);
  Hashes borders;
  for (std::uint64_t i = shape.part_buckets(); i < kBuckets;
       i += shape.part_buckets()) {
    borders.push_back(layer.FirstHashOf(i));
    borders.push_back(layer.FirstHashOf(i) - 1);
  }
  Hashes hashes = borders;
  std::mt19937_64 random(9);
  const auto keys = static_cast<std::size_t>(1.03 * 127 * kBuckets) + 60;
  while (hashes.size() < keys) {
    const std::uint64_t hash = random();
    const std::uint64_t in_part = layer.PlaceOf(hash).bucket % 512;
    if (in_part > 2 && in_part < 509) hashes.push_back(hash);
  }
  KeyHashSet set({});
  set.Push(hashes);
  ASSERT_TRUE(set.Seal().ok());
  std::string bytes;
  const auto filter = BuildBumped(columns, &set, {}, &bytes);
  ASSERT_TRUE(filter.ok());
  ASSERT_EQ(filter->layers.front(), kBuckets);
  const auto* table = reinterpret_cast<const unsigned char*>(bytes.data());
  for (const std::uint64_t hash : borders) {
    const BumpedPlace place = layer.PlaceOf(hash);
    EXPECT_EQ(BumpedLevel(layer, table, place.bucket), 0u);
    EXPECT_TRUE(Check(layer, table, hash)) << place.bucket;
  }
}

}  // namespace
}  // namespace tamis
