// SPDX-License-Identifier: Apache-2.0
// math/ribbon_sizing.h -- columns of a bumped ribbon filter, and its rate.
//
// With c columns for a fraction w of the keys and c - 1 for the rest the rate
// is (1 - w/2) * 2^-(c-1).  The mixture costs up to 0.086 bits per key over the
// lower bound log2(1/rate), at w = 0.56, and nothing if w is 0.

#pragma once

#include <cstdint>

namespace tamis {

// Columns are fixed-point numbers with 26 fractional bits.
inline constexpr std::uint32_t kOneRibbonColumn = std::uint32_t{1} << 26;
inline constexpr std::uint32_t kMaxRibbonFixed = 32 * kOneRibbonColumn;

constexpr bool IsRibbonColumns(std::uint32_t columns) noexcept {
  return columns >= kOneRibbonColumn && columns <= kMaxRibbonFixed;
}

// Returns the nearest number of columns; 0 if `bits` is out of range.
std::uint32_t RibbonColumns(double bits) noexcept;

// Returns the smallest number of columns whose rate is at most `rate`; 0 if
// there is none.
std::uint32_t RibbonColumnsAt(double rate) noexcept;

// Returns the rate with that many keys, including collisions of whole hashes.
double RibbonRate(std::uint32_t columns, std::uint64_t keys) noexcept;

}  // namespace tamis
