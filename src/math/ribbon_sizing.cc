// SPDX-License-Identifier: Apache-2.0
#include "math/ribbon_sizing.h"

#include <algorithm>
#include <cmath>

namespace tamis {

std::uint32_t RibbonColumns(double bits) noexcept {
  const double fixed = std::round(bits * kOneRibbonColumn);
  if (!(fixed >= kOneRibbonColumn && fixed <= kMaxRibbonFixed)) return 0;
  return static_cast<std::uint32_t>(fixed);
}

std::uint32_t RibbonColumnsAt(double rate) noexcept {
  if (!(rate > 0 && rate <= 0.5)) return rate > 0.5 ? kOneRibbonColumn : 0;
  const double whole = std::floor(-std::log2(rate));
  // rate = (1 - wide/2) * 2^-whole
  const double wide = 2 * (1 - std::ldexp(rate, static_cast<int>(whole)));
  const double fixed = std::ceil((whole + std::max(wide, 0.0)) *
                                 static_cast<double>(kOneRibbonColumn));
  if (fixed > kMaxRibbonFixed) return 0;
  return static_cast<std::uint32_t>(fixed);
}

double RibbonRate(std::uint32_t columns, std::uint64_t keys) noexcept {
  if (keys == 0) return 0;
  const auto whole = static_cast<int>(columns / kOneRibbonColumn);
  const double wide =
      static_cast<double>(columns % kOneRibbonColumn) / kOneRibbonColumn;
  const double collisions = std::ldexp(static_cast<double>(keys), -64);
  return std::min(1.0, std::ldexp(1 - wide / 2, -whole) + collisions);
}

}  // namespace tamis
