// SPDX-License-Identifier: Apache-2.0
#include "math/scalable_sizing.h"

#include <algorithm>
#include <cmath>

#include "math/blocked_bloom.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

constexpr std::uint64_t kBitsOfLine = 512;
constexpr std::uint64_t kUnplannedKeys = 4096;

double ShareOf(const ScalableStart& start, unsigned i) noexcept {
  return start.share * std::pow(kScalableTightening, i);
}

}  // namespace

double FirstShareOfRate(double rate) noexcept {
  return rate * (1 - kScalableTightening);
}

double RateBoundOfShare(double first_share) noexcept {
  return std::min(1.0, first_share / (1 - kScalableTightening));
}

ScalableStart StartScalable(double first_share,
                            std::uint64_t planned_keys) noexcept {
  const std::uint64_t keys = planned_keys == 0 ? kUnplannedKeys : planned_keys;
  const double bits_per_key = LineBitsPerKey(first_share);
  const auto of_a_line = static_cast<std::uint64_t>(
      static_cast<double>(kBitsOfLine) / std::max(bits_per_key, 1.0));
  return {.share = first_share, .capacity = std::max(keys, of_a_line)};
}

std::uint64_t CapacityOfPart(const ScalableStart& start, unsigned i) noexcept {
  const bool fits = start.capacity <= (~std::uint64_t{0} >> i);
  return fits ? start.capacity << i : ~std::uint64_t{0};
}

ScalablePart PlanScalablePart(const ScalableStart& start, unsigned i) noexcept {
  ScalablePart part;
  part.capacity = CapacityOfPart(start, i);
  const double bits_per_key = LineBitsPerKey(ShareOf(start, i));
  if (!(bits_per_key > 0)) return part;
  const std::uint64_t bits = BloomBitsAt(part.capacity, bits_per_key);
  part.lines = (bits + kBitsOfLine - 1) / kBitsOfLine;
  part.probes = BestLineProbes(bits_per_key);
  return part;
}

double ScalableRate(const ScalableStart& start, std::uint64_t keys) noexcept {
  double log_right = 0;
  for (unsigned i = 0; i < kMaxScalableParts && keys > 0; ++i) {
    const ScalablePart part = PlanScalablePart(start, i);
    const std::uint64_t here = std::min(keys, part.capacity);
    log_right += std::log1p(-BlockedRate(
        {.kind = BlockKind::kLine, .blocks = part.lines, .probes = part.probes},
        here));
    keys -= here;
  }
  return -std::expm1(log_right);
}

}  // namespace tamis
