// SPDX-License-Identifier: Apache-2.0
// math/ribbon_sizing.h -- columns of a bumped ribbon filter, and its rate.
//
// With c columns for a part w of the keys and c - 1 for the rest the rate is
// (1 - w/2) * 2^-(c-1).  The mixture costs up to 0.086 bits per key above
// log2(1/rate), at w = 0.56, and nothing where w is 0.

#pragma once

#include <cstdint>

namespace tamis {

// Columns are numbers with 26 bits behind the point.
inline constexpr std::uint32_t kOneRibbonColumn = std::uint32_t{1} << 26;
inline constexpr std::uint32_t kMaxRibbonFixed = 32 * kOneRibbonColumn;

constexpr bool IsRibbonColumns(std::uint32_t columns) noexcept {
  return columns >= kOneRibbonColumn && columns <= kMaxRibbonFixed;
}

// To the nearest; 0 where there are no such.
std::uint32_t RibbonColumns(double bits) noexcept;

// The fewest whose rate is at most `rate`; 0 where there are no such.
std::uint32_t RibbonColumnsAt(double rate) noexcept;

// Of that many keys, whose hashes may be those of absent keys, too.
double RibbonRate(std::uint32_t columns, std::uint64_t keys) noexcept;

}  // namespace tamis
