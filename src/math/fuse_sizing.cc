// SPDX-License-Identifier: Apache-2.0
#include "math/fuse_sizing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace tamis {
namespace {

// Row i is measured, for 2^i keys: the densest arrays of which at most one in
// 25 cannot be solved with the first seed.  In small arrays two keys may share
// all their cells, which longer segments make rare; in large ones, segments
// must be long enough for variations to even out, but short compared with the
// array.
struct Row {
  unsigned segment_bits;
  unsigned cells_per_10000_keys;
};
constexpr std::size_t kRows = 23;
constexpr std::array<Row, kRows> kThreeWise = {
    {{0, 30000},  {2, 48000},  {2, 43000},  {3, 34500},  {4, 28500},
     {5, 25000},  {5, 20000},  {6, 17000},  {7, 15500},  {7, 15200},
     {8, 14800},  {8, 13850},  {8, 13250},  {9, 12800},  {9, 12350},
     {10, 12250}, {11, 12020}, {11, 11750}, {12, 11700}, {12, 11410},
     {13, 11283}, {13, 11266}, {13, 11265}}};
constexpr std::array<Row, kRows> kFourWise = {
    {{0, 40000},  {1, 45000},  {2, 40000},  {2, 33000},  {3, 22000},
     {4, 18300},  {5, 16800},  {5, 16300},  {6, 15700},  {6, 14700},
     {6, 14000},  {7, 13350},  {7, 12750},  {8, 12300},  {9, 11900},
     {9, 11600},  {10, 11350}, {10, 11200}, {11, 11000}, {11, 10860},
     {12, 10720}, {12, 10690}, {12, 10680}}};

}  // namespace

FuseShape FuseShapeFor(std::uint64_t keys, unsigned arity) noexcept {
  assert(keys >> (kRows - 1) == 0);
  keys = std::max<std::uint64_t>(keys, 1);
  const auto& rows = arity == 3 ? kThreeWise : kFourWise;
  const auto row = static_cast<std::size_t>(std::bit_width(keys) - 1);
  const std::uint64_t below = std::uint64_t{1} << row;
  // Interpolates between the cells of the two rows.
  const std::uint64_t beyond = keys - below;
  const std::uint64_t per_10000 =
      (rows[row].cells_per_10000_keys * (below - beyond) +
       rows[row + 1].cells_per_10000_keys * beyond) /
      below;
  const std::uint64_t cells = (keys * per_10000 + 9999) / 10000;
  FuseShape shape;
  shape.segment_bits = rows[2 * beyond < below ? row : row + 1].segment_bits;
  shape.starts = 0;
  const std::uint64_t behind = FuseCells(shape, arity);
  shape.starts =
      cells > behind ? static_cast<std::uint32_t>(cells - behind) : 1;
  return shape;
}

FuseShape FusePartShape(std::uint64_t keys, std::uint64_t parts,
                        unsigned arity) noexcept {
  const std::uint64_t mean = keys / parts + (keys % parts != 0 ? 1 : 0);
  if (parts == 1) return FuseShapeFor(mean, arity);
  // At least one standard deviation for parts of a million keys.
  constexpr std::uint64_t kSpareShare = 1024;
  return FuseShapeFor(mean + mean / kSpareShare, arity);
}

FuseShape EnlargedFuseShape(const FuseShape& shape, unsigned arity,
                            unsigned steps) noexcept {
  constexpr std::uint64_t kStepShare = 32;
  FuseShape enlarged = shape;
  enlarged.starts += static_cast<std::uint32_t>(
      steps * (FuseCells(shape, arity) / kStepShare + 1));
  return enlarged;
}

double FuseRate(unsigned cell_bits) noexcept {
  return std::ldexp(1.0, -static_cast<int>(cell_bits));
}

}  // namespace tamis
