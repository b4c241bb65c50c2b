// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "math/binomial.h"
#include "math/counting_sizing.h"
#include "math/cuckoo_sizing.h"

namespace tamis {
namespace {

TEST(CountingSizing, TakesTheNumberOfProbesThatErrsLeast) {
  for (double counters = 0.5; counters < 900; counters *= 1.07) {
    const unsigned best = BestCountingProbes(counters);
    // So many lines that sizes are as good as exact.
    constexpr std::uint64_t kKeys = 1'000'000'000;
    const auto lines = static_cast<std::uint64_t>(kKeys * counters / 128);
    const double rate = CountingRate(lines, best, kKeys);
    EXPECT_LE(rate, CountingRate(lines, best + 1, kKeys) * 1.002) << counters;
    if (best > 1) {
      EXPECT_LE(rate, CountingRate(lines, best - 1, kKeys) * 1.002) << counters;
    }
  }
}

// Against the exact distribution of occupied counters, throw by throw.
TEST(CountingSizing, RatesAreThoseOfTheExactDistribution) {
  constexpr unsigned kCounters = 128;
  for (const unsigned probes : {1u, 3u, 6u, 9u}) {
    double chances[kCounters + 1] = {1};
    for (unsigned keys = 1; keys <= 40; ++keys) {
      for (unsigned i = 0; i < probes; ++i) {
        for (unsigned x = kCounters; x > 0; --x) {
          chances[x] = chances[x] * x / kCounters +
                       chances[x - 1] * (kCounters - (x - 1)) / kCounters;
        }
        chances[0] = 0;
      }
      double rate = 0;
      for (unsigned x = 0; x <= kCounters; ++x) {
        rate += chances[x] * std::pow(x / double{kCounters}, probes);
      }
      if (keys < 5) continue;  // the formula is of second order
      EXPECT_NEAR(CountingRate(1, probes, keys) / rate, 1, 0.012)
          << probes << " probes, " << keys << " keys";
    }
  }
}

TEST(CountingSizing, KeysFollowFromTheFill) {
  // 1000 lines, 10 keys each, 5 probes: exp(-10 (1 - (127/128)^5)) stay 0.
  const double empty = std::exp(-10 * (1 - std::pow(127.0 / 128, 5)));
  const auto occupied = static_cast<std::uint64_t>(128'000 * (1 - empty));
  EXPECT_NEAR(CountingKeysFromFill(1000, 5, occupied), 10'000, 1);
  EXPECT_EQ(CountingKeysFromFill(1000, 5, 0), 0);
  EXPECT_TRUE(std::isfinite(CountingKeysFromFill(1000, 5, 128'000)));
}

TEST(Binomial, GivesTheChancesOfBallsInBoxes) {
  // 3 balls into 2 boxes: 0 to 3 of them in the first, 1 3 3 1 of 8 ways.
  const auto weigh = [](std::uint64_t i) {
    constexpr double kValues[] = {0.1, 0.2, 0.4, 0.8};
    return kValues[i];
  };
  EXPECT_NEAR(MeanRate({3, 0.5}, weigh), (0.1 + 3 * 0.2 + 3 * 0.4 + 0.8) / 8,
              1e-12);
}

TEST(CuckooSizing, RatesAreThoseOfEqualPlaces) {
  // One key: an absent key must have one of 3 lower buckets and 15
  // fingerprints.
  EXPECT_NEAR(CuckooRate({.buckets = 6, .bits = 4}, 1), 1.0 / 45, 1e-15);
  EXPECT_NEAR(CuckooRate({.buckets = 6, .bits = 4}, 2), 2.0 / 45 - 1.0 / 2025,
              1e-15);
  EXPECT_EQ(CuckooRate({.buckets = 6, .bits = 4}, 0), 0);
}

TEST(CuckooSizing, BitsAndRatesAreEachOthersInverse) {
  constexpr std::uint64_t kKeys = 100'000'000;
  for (double rate = 0.02; rate > 2e-9; rate /= 1.3) {
    const unsigned bits = FingerprintBitsAt(rate, kKeys);
    const std::uint64_t buckets = CuckooBuckets(kKeys, 0);
    EXPECT_LE(CuckooRate({buckets, bits}, kKeys), rate);
    EXPECT_GT(CuckooRate({buckets, bits - 1}, kKeys), rate * 0.99);
  }
  EXPECT_GT(FingerprintBitsAt(1e-10, 1), 32u);
  // At high rates it is the room to be found that asks for bits.
  EXPECT_EQ(FingerprintBitsAt(0.5, 1), 5u);
  EXPECT_EQ(FingerprintBitsAt(0.5, 1'000'000), 7u);
  EXPECT_EQ(FingerprintBitsWithin(10.6), 10u);
  EXPECT_EQ(FingerprintBitsWithin(10.5), 9u);
  EXPECT_EQ(FingerprintBitsWithin(10000), 32u);
}

TEST(CuckooSizing, LargeTablesAreFilledToThePlannedLoad) {
  EXPECT_EQ(CuckooBuckets(0, 0), 2u);
  EXPECT_EQ(CuckooBuckets(8, 0), 4u);
  EXPECT_EQ(CuckooBuckets(7'600'000, 0), 2'000'000u);
  EXPECT_EQ(CuckooBuckets(8'000'000, 2), 4'000'000u);
  EXPECT_EQ(CuckooBuckets(~std::uint64_t{0}, 1), std::uint64_t{1} << 62);
  for (std::uint64_t keys = 1; keys < 10'000; ++keys) {
    EXPECT_EQ(CuckooBuckets(keys, 0) % 2, 0u);
    EXPECT_GE(CuckooBuckets(keys + 1, 0), CuckooBuckets(keys, 0));
  }
}

}  // namespace
}  // namespace tamis
