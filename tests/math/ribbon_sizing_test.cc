// SPDX-License-Identifier: Apache-2.0
#include "math/ribbon_sizing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace tamis {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(RibbonSizing, ColumnsAreTheBitsToTheNearest) {
  EXPECT_EQ(RibbonColumns(1), kOneRibbonColumn);
  EXPECT_EQ(RibbonColumns(7.5), 15 * (kOneRibbonColumn / 2));
  EXPECT_EQ(RibbonColumns(32), kMaxRibbonFixed);
  EXPECT_EQ(RibbonColumns(1 + 0.4 / kOneRibbonColumn), kOneRibbonColumn);
  EXPECT_EQ(RibbonColumns(1 + 0.6 / kOneRibbonColumn), kOneRibbonColumn + 1);
  for (const double bits : {0.0, -1.0, 0.99, 32.01, 1e300, kInfinity, kNan}) {
    EXPECT_EQ(RibbonColumns(bits), 0u) << bits;
    EXPECT_FALSE(IsRibbonColumns(RibbonColumns(bits)));
  }
}

TEST(RibbonSizing, WholeColumnsHalveTheRate) {
  for (std::uint32_t columns = 1; columns <= 32; ++columns) {
    const double rate = std::ldexp(1.0, -static_cast<int>(columns));
    EXPECT_EQ(RibbonColumnsAt(rate), columns * kOneRibbonColumn);
    EXPECT_NEAR(RibbonRate(columns * kOneRibbonColumn, 1) / rate, 1, 1e-9);
  }
}

TEST(RibbonSizing, TheFewestColumnsAreTakenThatMeetTheRate) {
  for (double rate = 0.5; rate > 2.4e-10; rate *= 0.997) {
    const std::uint32_t columns = RibbonColumnsAt(rate);
    ASSERT_TRUE(IsRibbonColumns(columns)) << rate;
    // Give or take the last bits of a double.
    const double got = RibbonRate(columns, 1) - std::ldexp(1.0, -64);
    ASSERT_LE(got, rate * (1 + 1e-14));
    ASSERT_GT(got, rate * (1 - 1e-7));
  }
  EXPECT_EQ(RibbonColumnsAt(0.9), kOneRibbonColumn);
  EXPECT_EQ(RibbonColumnsAt(1), kOneRibbonColumn);
  for (const double rate : {0.0, -0.1, 2.3e-10, 1e-300, kNan}) {
    EXPECT_EQ(RibbonColumnsAt(rate), 0u) << rate;
  }
}

TEST(RibbonSizing, FractionsCostAtMost0087BitsPerKey) {
  double most = 0;
  for (std::uint32_t columns = kOneRibbonColumn; columns < kMaxRibbonFixed;
       columns += kOneRibbonColumn / 50 + 1) {
    const double bits = static_cast<double>(columns) / kOneRibbonColumn;
    const double best = -std::log2(RibbonRate(columns, 1));
    EXPECT_GE(bits - best, -1e-9);
    most = std::max(most, bits - best);
  }
  EXPECT_LT(most, 0.087);
  EXPECT_GT(most, 0.085);
}

TEST(RibbonSizing, RatesFallWithTheColumnsAndRiseWithTheKeys) {
  double last = 1;
  for (std::uint32_t columns = kOneRibbonColumn; columns < kMaxRibbonFixed;
       columns += kOneRibbonColumn / 9) {
    const double rate = RibbonRate(columns, 1000);
    EXPECT_LT(rate, last);
    last = rate;
  }
  EXPECT_EQ(RibbonRate(kOneRibbonColumn, 0), 0.0);
  // Hashes of absent keys that are equal to a key's.
  const std::uint64_t many = std::uint64_t{1} << 40;
  EXPECT_NEAR(RibbonRate(kMaxRibbonFixed, many),
              std::ldexp(1.0, -32) + std::ldexp(1.0, -24), 1e-15);
  EXPECT_LE(RibbonRate(kOneRibbonColumn, ~std::uint64_t{0}), 1.0);
}

}  // namespace
}  // namespace tamis
