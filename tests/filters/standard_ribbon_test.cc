// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "filters/ribbon/standard.h"
#include "filters/ribbon/standard_build.h"
#include "filters/ribbon/standard_query.h"
#include "tests/support/random.h"

namespace tamis {
namespace {

using testing::RandomHashes;
using Bytes = std::vector<unsigned char>;

// In order; empty: they contradict each other.
Bytes SolveStandard(const std::vector<std::uint64_t>& hashes,
                    const RibbonShape& shape, std::uint8_t ordinal) {
  const RibbonSeed seed = RibbonSeedFor(ordinal, shape.blocks);
  std::vector<std::uint64_t> rehashes;
  for (const std::uint64_t hash : hashes) {
    rehashes.push_back(RibbonRehash(hash, seed.raw));
  }
  RibbonBanding banding;
  EXPECT_TRUE(banding.Reserve(shape.blocks * kRibbonBlockSlots));
  if (!banding.Add(rehashes, seed.starts)) return {};
  Bytes segments(shape.segments * kRibbonSegmentBytes);
  banding.Solve(shape, segments.data());
  return segments;
}

RibbonSolution SolutionOf(const Bytes& segments, const RibbonShape& shape,
                          std::uint8_t ordinal) {
  return {.segments = segments.data(),
          .shape = shape,
          .seed = RibbonSeedFor(ordinal, shape.blocks)};
}

// The definition, bit by bit: row r of column j is bit r mod 128 of the j-th
// segment of block r / 128.
bool ByDefinition(const RibbonSolution& solution, std::uint64_t hash) {
  const RibbonShape& shape = solution.shape;
  const std::uint64_t rehash = RibbonRehash(hash, solution.seed.raw);
  const RibbonEquation equation = RibbonEquationFor(rehash);
  const std::uint64_t start = RibbonStart(rehash, solution.seed.starts);
  const auto columns_of = [&shape](std::uint64_t block) {
    return shape.columns - (block < shape.cut ? 1 : 0);
  };
  for (unsigned column = 0; column < columns_of(start / 128); ++column) {
    unsigned sum = equation.result >> column & 1;
    for (unsigned i = 0; i < 128; ++i) {
      if ((equation.coefficients >> i & 1) == 0) continue;
      const std::uint64_t row = start + i;
      std::uint64_t segment = column;
      for (std::uint64_t b = 0; b < row / 128; ++b) segment += columns_of(b);
      sum ^= solution.segments[segment * 16 + row % 128 / 8] >> (row % 8) & 1;
    }
    if (sum != 0) return false;
  }
  return true;
}

TEST(Ribbon128, AHashComesBackFromItsRehash) {
  for (const std::uint64_t hash : RandomHashes(100, 1)) {
    const std::uint64_t raw = RibbonRawSeed(static_cast<std::uint8_t>(hash));
    EXPECT_EQ(RibbonUnhash(RibbonRehash(hash, raw), raw), hash);
  }
  EXPECT_EQ(RibbonRawSeed(0), 0u);
}

TEST(Ribbon128, ALargerRehashStartsNoEarlier) {
  std::vector<std::uint64_t> rehashes = RandomHashes(1000, 2);
  rehashes.insert(rehashes.end(), {0, ~std::uint64_t{0}});
  std::sort(rehashes.begin(), rehashes.end());
  constexpr std::uint64_t kStarts = 128 * 9 + 1;
  std::uint64_t last = 0;
  for (const std::uint64_t rehash : rehashes) {
    const std::uint64_t start = RibbonStart(rehash, kStarts);
    EXPECT_GE(start, last);
    last = start;
  }
  EXPECT_EQ(last, kStarts - 1);
}

TEST(Ribbon128, HoldsEveryEquationInEveryNumberOfColumns) {
  constexpr std::uint64_t kBlocks = 4;
  const std::vector<std::uint64_t> hashes = RandomHashes(400, 3);
  for (std::uint64_t segments = 1; segments <= 32 * kBlocks; ++segments) {
    const RibbonShape shape = RibbonShapeFor(kBlocks, segments);
    const Bytes bytes = SolveStandard(hashes, shape, 7);
    ASSERT_FALSE(bytes.empty());
    const RibbonSolution solution = SolutionOf(bytes, shape, 7);
    for (const std::uint64_t hash : hashes) {
      ASSERT_TRUE(CheckRibbon(solution, hash)) << segments;
      ASSERT_TRUE(ByDefinition(solution, hash)) << segments;
    }
  }
}

// Arbitrary bytes, of exactly the right length: a sanitizer sees a read
// outside them.
TEST(Ribbon128, AnswersStrangersByTheDefinition) {
  for (const std::uint64_t blocks : {2u, 3u, 5u}) {
    for (std::uint64_t segments = 1; segments <= 33 * blocks; ++segments) {
      const RibbonShape shape = RibbonShapeFor(blocks, segments);
      Bytes bytes(shape.segments * kRibbonSegmentBytes);
      std::mt19937_64 random(segments);
      // Mostly zeros, so that many a column holds.
      for (unsigned char& byte : bytes) {
        byte = static_cast<unsigned char>(1 << random() % 24);
      }
      const auto ordinal = static_cast<std::uint8_t>(segments);
      const RibbonSolution solution = SolutionOf(bytes, shape, ordinal);
      std::vector<std::uint64_t> hashes = RandomHashes(200, segments);
      // The last start of all, in the last block.
      hashes.push_back(RibbonUnhash(~std::uint64_t{0}, solution.seed.raw));
      hashes.push_back(RibbonUnhash(0, solution.seed.raw));
      for (const std::uint64_t hash : hashes) {
        ASSERT_EQ(CheckRibbon(solution, hash), ByDefinition(solution, hash))
            << blocks << " blocks, " << segments << " segments";
      }
    }
  }
}

TEST(Ribbon128, ManyAtOnceAnswerAsOneByOne) {
  const RibbonShape shape = RibbonShapeFor(6, 6 * 7 - 2);
  const std::vector<std::uint64_t> added = RandomHashes(600, 5);
  const Bytes bytes = SolveStandard(added, shape, 9);
  ASSERT_FALSE(bytes.empty());
  const RibbonSolution solution = SolutionOf(bytes, shape, 9);
  std::vector<std::uint64_t> hashes = RandomHashes(230, 6);
  std::copy_n(added.begin(), 30, hashes.begin() + 100);
  unsigned present = 0;
  for (std::size_t count = 0; count <= hashes.size(); ++count) {
    const auto out = std::make_unique<bool[]>(count + 1);
    out[count] = true;
    CheckRibbonMany(
        solution, std::span<const std::uint64_t>(hashes.data(), count),
        [](std::uint64_t hash) { return hash; }, out.get());
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(out[i], CheckRibbon(solution, hashes[i])) << i;
    }
    ASSERT_TRUE(out[count]) << "wrote beyond its output";
    present =
        static_cast<unsigned>(std::count(out.get(), out.get() + count, true));
  }
  EXPECT_GE(present, 30u);
  EXPECT_LT(present, 60u);
}

TEST(Ribbon128, TheOrderOfEquationsDoesNotMatter) {
  const RibbonShape shape = RibbonShapeFor(4, 4 * 9 - 1);
  std::vector<std::uint64_t> hashes = RandomHashes(450, 8);
  const Bytes once = SolveStandard(hashes, shape, 3);
  ASSERT_FALSE(once.empty());
  std::reverse(hashes.begin(), hashes.end());
  EXPECT_EQ(SolveStandard(hashes, shape, 3), once);
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(SolveStandard(hashes, shape, 3), once);
  // Nor do repeats.
  const std::vector<std::uint64_t> repeats = hashes;
  hashes.insert(hashes.end(), repeats.begin(), repeats.end());
  EXPECT_EQ(SolveStandard(hashes, shape, 3), once);
}

TEST(Ribbon128, MoreEquationsThanRowsContradictEachOther) {
  const RibbonShape shape = RibbonShapeFor(2, 2);
  EXPECT_TRUE(SolveStandard(RandomHashes(300, 9), shape, 0).empty());
}

TEST(Ribbon128, ClearLeavesNothingBehind) {
  const RibbonShape shape = RibbonShapeFor(2, 2 * 8);
  const RibbonSeed seed = RibbonSeedFor(0, 2);
  const std::vector<std::uint64_t> hashes = RandomHashes(150, 13);
  const Bytes fresh = SolveStandard(hashes, shape, 0);
  ASSERT_FALSE(fresh.empty());
  std::vector<std::uint64_t> rehashes;
  for (const std::uint64_t hash : hashes) {
    rehashes.push_back(RibbonRehash(hash, seed.raw));
  }
  RibbonBanding banding;
  ASSERT_TRUE(banding.Reserve(256));
  ASSERT_TRUE(banding.Add(RandomHashes(150, 10), seed.starts));
  banding.Clear();
  ASSERT_TRUE(banding.Add(rehashes, seed.starts));
  Bytes segments(fresh.size(), 0xaa);
  banding.Solve(shape, segments.data());
  EXPECT_EQ(segments, fresh);
  // Rows that no equation took keep nothing, either.
  banding.Clear();
  banding.Solve(shape, segments.data());
  EXPECT_EQ(segments, Bytes(segments.size()));
}

// From one heap of the sorter to several, and where the buckets spread.
TEST(Ribbon128, SortingChangesNothing) {
  for (const std::uint64_t keys :
       {1u, 2u, 500u, 131'071u, 131'073u, 262'144u, 262'145u, 700'000u}) {
    const std::uint64_t slots = RocksDbRibbonSlots(keys) + 12'800;
    const RibbonShape shape =
        RibbonShapeFor(slots / 128, slots / 128 * 7 - slots / 300);
    const RibbonSeed seed = RibbonSeedFor(0, shape.blocks);
    const std::vector<std::uint64_t> hashes = RandomHashes(keys, 11);
    const Bytes expected = SolveStandard(hashes, shape, 0);
    ASSERT_FALSE(expected.empty());

    HashBuckets rehashes;
    for (const std::uint64_t hash : hashes) {
      ASSERT_TRUE(rehashes.PushBack(RibbonRehash(hash, seed.raw)));
    }
    RibbonBanding banding;
    ASSERT_TRUE(banding.Reserve(slots));
    ASSERT_EQ(AddSorted(rehashes, seed.starts, &banding),
              RibbonOutcome::kSolvable);
    Bytes segments(expected.size());
    banding.Solve(shape, segments.data());
    EXPECT_TRUE(segments == expected) << keys;
  }
}

TEST(Ribbon128, SortingFindsContradictionsToo) {
  HashBuckets rehashes;
  for (const std::uint64_t hash : RandomHashes(1000, 12)) {
    ASSERT_TRUE(rehashes.PushBack(hash));
  }
  RibbonBanding banding;
  ASSERT_TRUE(banding.Reserve(896));
  EXPECT_EQ(AddSorted(rehashes, RibbonSeedFor(0, 7).starts, &banding),
            RibbonOutcome::kContradiction);
}

}  // namespace
}  // namespace tamis
