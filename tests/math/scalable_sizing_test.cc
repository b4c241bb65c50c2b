// SPDX-License-Identifier: Apache-2.0
#include "math/scalable_sizing.h"

#include <gtest/gtest.h>

#include "math/blocked_bloom.h"

namespace tamis {
namespace {

// For any number of keys: with every part full, and just begun.
TEST(ScalableSizing, TheRateStaysBelowItsBoundAtEverySize) {
  for (double rate : {0.5, 0.01, 1e-6}) {
    for (std::uint64_t planned :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1'000'000}}) {
      const ScalableStart start =
          StartScalable(FirstShareOfRate(rate), planned);
      EXPECT_DOUBLE_EQ(RateBoundOfShare(start.share), rate);
      double previous = 0;
      for (std::uint64_t n = 1; n < std::uint64_t{1} << 48; n *= 64) {
        const double now = ScalableRate(start, n);
        EXPECT_LE(now, rate) << n;
        EXPECT_GE(now, previous) << n;
        previous = now;
      }
    }
  }
}

TEST(ScalableSizing, EveryPartErrsNoMoreThanItsShare) {
  for (std::uint64_t planned : {1u, 100u, 4096u, 1'000'000u}) {
    const ScalableStart start = StartScalable(0.0015, planned);
    EXPECT_GE(start.capacity, planned);
    double share = start.share;
    for (unsigned i = 0; i < 20; ++i) {
      const ScalablePart part = PlanScalablePart(start, i);
      EXPECT_EQ(part.capacity, start.capacity << i);
      const double rate = BlockedRate({.kind = BlockKind::kLine,
                                       .blocks = part.lines,
                                       .probes = part.probes},
                                      part.capacity);
      EXPECT_LE(rate, share) << i;
      // And no bits are wasted, but for those that fill a line up.
      if (part.lines > 100) {
        EXPECT_GE(rate, 0.95 * share) << i;
      }
      share *= kScalableTightening;
    }
  }
}

// The table of docs/formats/tamis-scalable.md: bits per key at 1 %, all parts
// full.
TEST(ScalableSizing, TakesTheBitsPerKeyThatItsPageStates) {
  const ScalableStart start = StartScalable(FirstShareOfRate(0.01), 0);
  EXPECT_EQ(start.capacity, 4096u);
  const struct {
    unsigned parts;
    double bits_per_key;
  } rows[] = {{1, 14.50}, {2, 14.79},  {4, 15.46},  {6, 16.24},
              {8, 17.08}, {11, 18.41}, {15, 20.26}, {20, 22.70}};
  for (const auto& row : rows) {
    double lines = 0;
    double keys = 0;
    for (unsigned i = 0; i < row.parts; ++i) {
      const ScalablePart part = PlanScalablePart(start, i);
      lines += static_cast<double>(part.lines);
      keys += static_cast<double>(part.capacity);
    }
    EXPECT_NEAR(lines * 512 / keys, row.bits_per_key, 0.006) << row.parts;
  }
}

TEST(ScalableSizing, HugeNumbersSaturate) {
  const ScalableStart start = StartScalable(0.0015, ~std::uint64_t{0});
  EXPECT_EQ(CapacityOfPart(start, 1), ~std::uint64_t{0});
  EXPECT_EQ(PlanScalablePart(start, 0).lines, std::uint64_t{1} << 54);
  EXPECT_EQ(PlanScalablePart({.share = 1e-300, .capacity = 1}, 0).lines, 0u);
}

}  // namespace
}  // namespace tamis
