// SPDX-License-Identifier: Apache-2.0
// The rates below come from simulations with random positions (40 to 400
// million queries, error 0.1 %), not from the formula under test.

#include "math/blocked_bloom.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/bloom_math.h"

namespace tamis {
namespace {

BlockedShape Lines(double bits_per_key, unsigned probes,
                   std::uint64_t keys = 100'000'000) {
  return {.kind = BlockKind::kLine,
          .blocks = static_cast<std::uint64_t>(
              std::ceil(static_cast<double>(keys) * bits_per_key / 512)),
          .probes = probes};
}

TEST(BlockedRate, EqualsWhatRandomPositionsInLinesGive) {
  EXPECT_NEAR(BlockedRate(Lines(10, 6), 100'000'000), 0.009660, 0.000010);
  EXPECT_NEAR(BlockedRate(Lines(12, 8), 100'000'000), 0.004140, 0.000010);
  EXPECT_NEAR(BlockedRate(Lines(16, 9), 100'000'000), 0.000844, 0.000002);
}

TEST(BlockedRate, OfOneLineIsTheTextbooks) {
  EXPECT_DOUBLE_EQ(BlockedRate({.blocks = 1, .probes = 6}, 51),
                   BloomRate(512, 51, 6));
}

TEST(BlockedRate, OfOneSplitBlockIsOneProbeInEachOfEightWords) {
  const double word = 1 - std::pow(31.0 / 32, 20);
  EXPECT_NEAR(
      BlockedRate({.kind = BlockKind::kSplit, .blocks = 1, .probes = 8}, 20),
      std::pow(word, 8), 1e-12);
}

// Few lines: the binomial distribution, not Poisson's.
TEST(BlockedRate, CountsFewBlocksExactly) {
  const BlockedShape shape{.blocks = 2, .probes = 1};
  // Three keys on two lines: 0 to 3 on the asked one, one probe each.
  double expected = 0;
  for (unsigned i = 0; i <= 3; ++i) {
    const double ways[] = {1, 3, 3, 1};
    expected += ways[i] / 8 * (1 - std::pow(511.0 / 512, i));
  }
  EXPECT_NEAR(BlockedRate(shape, 3), expected, 1e-12);
}

TEST(BlockedRate, StaysBetweenZeroAndOne) {
  for (std::uint64_t keys : {std::uint64_t{0}, std::uint64_t{1},
                             std::uint64_t{1} << 20, std::uint64_t{1} << 62}) {
    for (std::uint64_t blocks :
         {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 53}) {
      const double rate = BlockedRate({.blocks = blocks, .probes = 6}, keys);
      EXPECT_GE(rate, 0) << keys << " " << blocks;
      EXPECT_LE(rate, 1) << keys << " " << blocks;
    }
  }
  EXPECT_EQ(BlockedRate({.blocks = 3, .probes = 6}, 0), 0);
  EXPECT_NEAR(BlockedRate({.blocks = 3, .probes = 6}, 1'000'000), 1, 1e-6);
}

TEST(BestLineProbes, NoOtherNumberErrsLess) {
  for (double bits = 1; bits < 40; bits += 0.37) {
    const unsigned best = BestLineProbes(bits);
    const double rate = BlockedRate(Lines(bits, best), 100'000'000);
    for (unsigned other : {best - 1, best + 1}) {
      if (other == 0) continue;
      // A threshold rounded to two places may be off by a hair.
      EXPECT_GE(BlockedRate(Lines(bits, other), 100'000'000), rate * 0.999)
          << bits << " bits, " << other << " instead of " << best;
    }
  }
  EXPECT_EQ(BestLineProbes(0.1), 1u);
  EXPECT_EQ(BestLineProbes(10), 6u);
  EXPECT_EQ(BestLineProbes(12), 8u);
  EXPECT_EQ(BestLineProbes(16), 9u);
  EXPECT_EQ(BestLineProbes(10'000), 28u);
}

TEST(BitsPerKey, InvertTheRate) {
  for (double rate : {0.5, 0.1, 0.01, 0.001, 1e-5}) {
    const double bits = LineBitsPerKey(rate);
    const double back =
        BlockedRate(Lines(bits, BestLineProbes(bits)), 100'000'000);
    EXPECT_NEAR(back / rate, 1, 0.002) << rate;
    EXPECT_LE(back, rate * 1.0001);
    const double split = SplitBlockBitsPerKey(rate);
    const BlockedShape shape{
        .kind = BlockKind::kSplit,
        .blocks = static_cast<std::uint64_t>(1e8 * split / 256),
        .probes = 8};
    EXPECT_NEAR(BlockedRate(shape, 100'000'000) / rate, 1, 0.002) << rate;
  }
  EXPECT_NEAR(LineBitsPerKey(0.01), 9.92, 0.02);
}

TEST(BitsPerKey, DoNotDependOnTheRateBefore) {
  const double lines = LineBitsPerKey(0.01);
  const double split = SplitBlockBitsPerKey(0.01);
  EXPECT_NE(LineBitsPerKey(0.02), lines);
  EXPECT_NE(SplitBlockBitsPerKey(0.01), lines);
  EXPECT_EQ(LineBitsPerKey(0.01), lines);
  EXPECT_EQ(SplitBlockBitsPerKey(0.01), split);
}

TEST(BitsPerKey, AreZeroWhereNoSizeIsEnough) {
  EXPECT_EQ(LineBitsPerKey(1e-60), 0);
  EXPECT_EQ(SplitBlockBitsPerKey(1e-60), 0);
}

TEST(BlockedKeysFromFill, CountsSimulatedKeys) {
  std::mt19937_64 random(3);
  constexpr std::uint64_t kBlocks = 500;
  for (unsigned keys : {100u, 5'000u, 25'000u, 50'000u}) {
    std::vector<bool> bits(kBlocks * 512);
    for (unsigned i = 0; i < keys; ++i) {
      const std::uint64_t line = random() % kBlocks;
      for (unsigned k = 0; k < 6; ++k) bits[line * 512 + random() % 512] = true;
    }
    const auto set =
        static_cast<std::uint64_t>(std::count(bits.begin(), bits.end(), true));
    EXPECT_NEAR(
        BlockedKeysFromFill({.blocks = kBlocks, .probes = 6}, set) / keys, 1,
        0.015)
        << keys;
  }
  EXPECT_EQ(BlockedKeysFromFill({.blocks = 5, .probes = 6}, 0), 0);
  EXPECT_TRUE(
      std::isfinite(BlockedKeysFromFill({.blocks = 5, .probes = 6}, 5 * 512)));
}

}  // namespace
}  // namespace tamis
