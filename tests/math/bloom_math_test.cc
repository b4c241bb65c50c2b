// SPDX-License-Identifier: Apache-2.0
#include "tamis/bloom_math.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

struct BitsRow {
  double bits_per_key;
  unsigned probes;
  double percent;
};

// The table every text on Bloom filters prints.
TEST(BloomMath, BitsPerKeyGiveTheTextbookProbesAndRates) {
  for (const BitsRow& row : std::vector<BitsRow>{{4, 3, 14.7},
                                                 {8, 6, 2.2},
                                                 {10, 7, 0.82},
                                                 {12, 8, 0.31},
                                                 {16, 11, 0.046},
                                                 {20, 14, 0.0066}}) {
    constexpr std::uint64_t kKeys = 1'000'000;
    const std::uint64_t bits = BloomBitsAt(kKeys, row.bits_per_key);
    EXPECT_EQ(BloomProbes(row.bits_per_key), row.probes) << row.bits_per_key;
    const double percent = 100 * BloomRate(bits, kKeys, row.probes);
    // Two significant digits, as printed; three for the first.
    EXPECT_NEAR(percent / row.percent, 1.0, 0.025) << row.bits_per_key;
  }
}

TEST(BloomMath, RatesGiveTheTextbookBitsAndProbes) {
  struct RateRow {
    double rate, bits_per_key;
    unsigned probes;
  };
  for (const RateRow& row : std::vector<RateRow>{{0.1, 4.8, 3},
                                                 {0.01, 9.6, 7},
                                                 {0.001, 14.4, 10},
                                                 {0.0001, 19.2, 13}}) {
    const double bits = BloomBitsPerKey(row.rate);
    EXPECT_NEAR(bits, row.bits_per_key, 0.05) << row.rate;
    EXPECT_EQ(BloomProbes(bits), row.probes) << row.rate;
  }
}

TEST(BloomMath, ReproducesTheWorkedExamples) {
  EXPECT_EQ(BloomBits(1'000, 0.01), 9'586u);
  EXPECT_EQ(BloomProbes(9.586), 7u);
  EXPECT_EQ(BloomBits(100'000, 0.001), 1'437'759u);
  EXPECT_EQ(BloomProbes(14.37759), 10u);
  EXPECT_EQ(BloomProbes(100.0 / 10), 7u);
  EXPECT_NEAR(BloomFill(100, 10, 7), 0.5, 0.01);
}

TEST(BloomMath, NoKeysStillHaveOneBit) {
  EXPECT_EQ(BloomBits(0, 0.01), 1u);
  EXPECT_EQ(BloomBitsAt(0, 10), 1u);
  EXPECT_EQ(BloomRate(1, 0, 7), 0.0);
}

TEST(BloomMath, ProbesStayWithinTheirBounds) {
  EXPECT_EQ(BloomProbes(0.1), 1u);
  EXPECT_EQ(BloomProbes(1000), kMaxBloomProbes);
  EXPECT_EQ(BloomProbes(1000, 255), 255u);
  EXPECT_EQ(BloomProbes(std::nan("")), 1u);
  EXPECT_EQ(BloomProbes(-5), 1u);
  // Rounded at the half: 2.5 / ln 2 = 3.6067.
  EXPECT_EQ(BloomProbes(3.606), 2u);
  EXPECT_EQ(BloomProbes(3.607), 3u);
}

// Occupancy, ball by ball: the distribution of the number of set bits, and
// from it the mean of (set / m)^k.
double ExactRate(unsigned bits, unsigned keys, unsigned probes) {
  std::vector<double> chance(bits + 1, 0.0);
  chance[0] = 1.0;
  for (unsigned ball = 0; ball < keys * probes; ++ball) {
    for (unsigned set = bits; set > 0; --set) {
      chance[set] =
          chance[set] * set / bits + chance[set - 1] * (bits - set + 1) / bits;
    }
    chance[0] = 0.0;
  }
  double rate = 0.0;
  for (unsigned set = 0; set <= bits; ++set) {
    rate += chance[set] * std::pow(double(set) / bits, probes);
  }
  return rate;
}

TEST(BloomMath, SmallFiltersMatchTheExactDistribution) {
  struct Case {
    unsigned bits, keys, probes;
    double tolerance;  // of the second-order formula, largest for one key
  };
  for (const Case& c : std::vector<Case>{{10, 1, 7, 0.05},
                                         {20, 2, 7, 0.02},
                                         {64, 2, 6, 0.02},
                                         {100, 10, 7, 0.005},
                                         {640, 64, 7, 0.0005},
                                         {128, 5, 5, 0.005},
                                         {2, 1, 1, 1e-12}}) {
    const double exact = ExactRate(c.bits, c.keys, c.probes);
    EXPECT_NEAR(BloomRate(c.bits, c.keys, c.probes) / exact, 1.0, c.tolerance)
        << c.bits << " bits, " << c.keys << " keys";
  }
}

TEST(BloomMath, SaturationClimbsToCertainty) {
  const std::uint64_t bits = BloomBitsAt(1000, 10);
  double previous = 0.0;
  for (unsigned keys : {1000u, 1500u, 2000u, 4000u, 8000u, 1000000u}) {
    const double rate = BloomRate(bits, keys, 7);
    EXPECT_GT(rate, previous) << keys;
    EXPECT_LE(rate, 1.0) << keys;
    previous = rate;
  }
  EXPECT_NEAR(BloomRate(bits, 2000, 7), 0.137, 0.001);
  EXPECT_NEAR(previous, 1.0, 1e-9);
}

TEST(BloomMath, KeysAreEstimatedBackFromTheFill) {
  for (std::uint64_t bits :
       {std::uint64_t{1} << 16, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
        std::uint64_t{1} << 33, (std::uint64_t{1} << 40) + 7}) {
    const std::uint64_t keys = bits / 10;
    const double fill = BloomFill(bits, keys, 7);
    const auto set =
        static_cast<std::uint64_t>(fill * static_cast<double>(bits));
    EXPECT_NEAR(BloomKeysFromFill(bits, set, 7) / static_cast<double>(keys),
                1.0, 1e-3)
        << bits;
  }
  EXPECT_EQ(BloomKeysFromFill(100, 0, 7), 0.0);
  EXPECT_NEAR(BloomKeysFromFill(100, 100, 7), 100.0 / 7 * std::log(200.0),
              1e-9);
  EXPECT_GT(BloomKeysFromFill(100, 100, 7), BloomKeysFromFill(100, 99, 7));
}

TEST(BloomMath, CapacityIsTheLastCountThatKeepsTheRate) {
  for (std::uint64_t bits :
       {std::uint64_t{64}, std::uint64_t{9586}, (std::uint64_t{1} << 33) + 1}) {
    const std::uint64_t keys = BloomCapacity(bits, 7, 0.01);
    EXPECT_LE(BloomRate(bits, keys, 7), 0.01) << bits;
    EXPECT_GT(BloomRate(bits, keys + 1, 7), 0.01 * (1 - 1e-9)) << bits;
  }
  EXPECT_EQ(BloomCapacity(8, 7, 1e-9), 0u);
  EXPECT_EQ(BloomCapacity(64, 7, 1.0), ~std::uint64_t{0});
}

// Beyond 2^32 nothing may be cut to 32 bits or lose more than rounding.
TEST(BloomMath, SizesAreExactAroundPowersOfTwo) {
  for (unsigned power : {31u, 32u, 33u, 40u}) {
    for (int delta : {-1, 0, 1}) {
      const std::uint64_t bits =
          (std::uint64_t{1} << power) + static_cast<std::uint64_t>(delta);
      EXPECT_EQ(BloomBitsAt(bits, 1.0), bits);
      const std::uint64_t keys = bits / 10;
      EXPECT_NEAR(BloomRate(bits, keys, 7), 0.00819372, 2e-8) << bits;
    }
  }
  EXPECT_EQ(BloomBitsAt(~std::uint64_t{0}, 100), std::uint64_t{1} << 63);
  EXPECT_EQ(BloomBits(~std::uint64_t{0}, 1e-300), std::uint64_t{1} << 63);
}

TEST(BloomMath, RatesAreProbabilitiesWhateverTheSize) {
  for (unsigned power = 0; power <= 63; ++power) {
    const std::uint64_t bits = std::uint64_t{1} << power;
    for (std::uint64_t m : {bits, bits + bits / 3, bits - bits / 5}) {
      for (std::uint64_t keys : {std::uint64_t{0}, std::uint64_t{1},
                                 std::uint64_t{2}, m / 10, m, m * 2}) {
        for (unsigned probes : {1u, 2u, 5u, 30u, 255u}) {
          const double rate = BloomRate(m, keys, probes);
          EXPECT_GE(rate, 0.0) << m << " " << keys << " " << probes;
          EXPECT_LE(rate, 1.0) << m << " " << keys << " " << probes;
        }
      }
    }
  }
}

TEST(BloomMath, TellsAFiltersHealthInOneWord) {
  EXPECT_EQ(BloomHealthOf(1000, 0), BloomHealth::kEmpty);
  EXPECT_EQ(BloomHealthOf(100'000, 50'000), BloomHealth::kOk);
  EXPECT_EQ(BloomHealthOf(100'000, 60'000), BloomHealth::kSaturated);
  EXPECT_EQ(BloomHealthOf(100'000, 100'000), BloomHealth::kSaturated);
  EXPECT_EQ(BloomHealthOf(100'000, 20'000), BloomHealth::kOversized);
  // Either side of each limit: 0.55 and 0.25, with room for noise above.
  EXPECT_EQ(BloomHealthOf(100'000'000, 54'900'000), BloomHealth::kOk);
  EXPECT_EQ(BloomHealthOf(100'000'000, 55'100'000), BloomHealth::kSaturated);
  EXPECT_EQ(BloomHealthOf(100'000'000, 25'100'000), BloomHealth::kOk);
  EXPECT_EQ(BloomHealthOf(100'000'000, 24'900'000), BloomHealth::kOversized);
  EXPECT_EQ(BloomHealthOf(8192, 100), BloomHealth::kOk);
  EXPECT_EQ(BloomHealthOf(8193, 100), BloomHealth::kOversized);
  // Small filters are noisy, and rounded up by their formats.
  EXPECT_EQ(BloomHealthOf(64, 40), BloomHealth::kOk);
  EXPECT_EQ(BloomHealthOf(64, 64), BloomHealth::kSaturated);
  EXPECT_EQ(BloomHealthOf(8, 8), BloomHealth::kSaturated);
  EXPECT_EQ(BloomHealthOf(128, 5), BloomHealth::kOk);
}

}  // namespace
}  // namespace tamis
