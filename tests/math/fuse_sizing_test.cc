// SPDX-License-Identifier: Apache-2.0
#include "math/fuse_sizing.h"

#include <cmath>

#include <gtest/gtest.h>

namespace tamis {
namespace {

double CellsPerKey(std::uint64_t keys, unsigned arity) {
  const std::uint64_t parts = FuseParts(keys);
  const FuseShape shape = FusePartShape(keys, parts, arity);
  return static_cast<double>(parts * FuseCells(shape, arity)) /
         static_cast<double>(keys);
}

TEST(FuseSizing, AMillionKeysAndMoreTakeAtMost13PercentOr8AndAHalfMore) {
  for (double keys = 1e6; keys < 1e12; keys *= 1.0013) {
    const auto n = static_cast<std::uint64_t>(keys);
    ASSERT_LE(CellsPerKey(n, 3), 1.13) << n;
    ASSERT_LE(CellsPerKey(n, 4), 1.085) << n;
  }
  for (std::uint64_t parts = 1; parts < 40; ++parts) {
    for (const std::uint64_t beyond : {0u, 1u}) {
      const std::uint64_t n = parts * kMaxFusePartKeys + beyond;
      EXPECT_LE(CellsPerKey(n, 3), 1.13) << n;
      EXPECT_LE(CellsPerKey(n, 4), 1.085) << n;
    }
  }
}

TEST(FuseSizing, EveryShapeHasRoomForItsKeysAndSegmentsOfALegalLength) {
  for (const unsigned arity : {3u, 4u}) {
    std::uint64_t last = 0;
    for (std::uint64_t n = 0; n < std::uint64_t{1} << 22; n += n / 300 + 1) {
      const FuseShape shape = FuseShapeFor(n, arity);
      ASSERT_GE(shape.starts, 1u) << n;
      ASSERT_LE(shape.segment_bits, kMaxFuseSegmentBits) << n;
      const std::uint64_t cells = FuseCells(shape, arity);
      ASSERT_GT(cells, n + n / 20) << n;
      ASSERT_LE(cells, 5 * n + 16) << n;
      // No step down worth the name where one more key comes.
      ASSERT_GE(cells + cells / 20 + 2, last) << n;
      last = cells;
    }
  }
}

TEST(FuseSizing, PartsAreAsFewAsCanBe) {
  EXPECT_EQ(FuseParts(0), 0u);
  EXPECT_EQ(FuseParts(1), 1u);
  EXPECT_EQ(FuseParts(kMaxFusePartKeys), 1u);
  EXPECT_EQ(FuseParts(kMaxFusePartKeys + 1), 2u);
  EXPECT_EQ(FuseParts(100, 30), 4u);
  EXPECT_EQ(FuseParts(~std::uint64_t{0}), std::uint64_t{1} << 43);
}

// The bytes of a filter depend on them, so they are frozen, too.
TEST(FuseSizing, ShapesAreThoseOfTheFormatsPage) {
  EXPECT_EQ(FuseShapeFor(1, 3), (FuseShape{0, 1}));
  EXPECT_EQ(FuseShapeFor(3, 3), (FuseShape{2, 6}));
  EXPECT_EQ(FuseShapeFor(3, 4), (FuseShape{2, 1}));
  EXPECT_EQ(FuseShapeFor(1000, 3), (FuseShape{8, 970}));
  EXPECT_EQ(FuseShapeFor(1'000'000, 3), (FuseShape{13, 1'113'016}));
  EXPECT_EQ(FuseShapeFor(1'000'000, 4), (FuseShape{12, 1'060'912}));
}

TEST(FuseSizing, EachStepOfEnlargingIsSomePercentAndAtLeastACell) {
  const FuseShape shape = {.segment_bits = 4, .starts = 100};
  EXPECT_EQ(EnlargedFuseShape(shape, 3, 0), shape);
  EXPECT_EQ(EnlargedFuseShape(shape, 3, 1), (FuseShape{4, 100 + 5}));
  EXPECT_EQ(EnlargedFuseShape(shape, 3, 9), (FuseShape{4, 100 + 45}));
  EXPECT_EQ(EnlargedFuseShape({0, 1}, 3, 2), (FuseShape{0, 3}));
}

TEST(FuseSizing, TheRateIsThatOfTheCells) {
  EXPECT_DOUBLE_EQ(FuseRate(8), 1.0 / 256);
  EXPECT_DOUBLE_EQ(FuseRate(16), 1.0 / 65536);
  EXPECT_DOUBLE_EQ(FuseRate(32), std::pow(2.0, -32));
}

}  // namespace
}  // namespace tamis
