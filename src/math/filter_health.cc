// SPDX-License-Identifier: Apache-2.0
#include "tamis/filter_health.h"

namespace tamis {

BloomHealth SplitBlockHealthOf(std::uint64_t bits,
                               std::uint64_t set_bits) noexcept {
  // Half full is not their optimum.
  constexpr double kSaturatedFill = 0.7;    // a rate of 6 %: 0.7^8
  constexpr double kOversizedFill = 0.125;  // at a quarter, 0.0015 %
  constexpr std::uint64_t kSmallBits = 8192;
  if (set_bits == 0) return BloomHealth::kEmpty;
  const double fill = static_cast<double>(set_bits) / static_cast<double>(bits);
  if (fill > kSaturatedFill) return BloomHealth::kSaturated;
  return bits > kSmallBits && fill < kOversizedFill ? BloomHealth::kOversized
                                                    : BloomHealth::kOk;
}

}  // namespace tamis
