#include "tamis/bloom_math.h"

#include <algorithm>
#include <cmath>

namespace tamis {
namespace {

// Sizes are kept below 2^63, so that sums of a few of them cannot wrap.
constexpr double kMaxBits = 9223372036854775808.0;

std::uint64_t CeilToBits(double bits) noexcept {
  if (!(bits > 1.0)) return 1;
  if (bits >= kMaxBits) return std::uint64_t{1} << 63;
  return static_cast<std::uint64_t>(std::ceil(bits));
}

}  // namespace

double BloomBitsPerKey(double rate) noexcept {
  return -std::log(rate) / (kLn2 * kLn2);
}

std::uint64_t BloomBits(std::uint64_t keys, double rate) noexcept {
  // In this order of operations, because the formats that use the textbook
  // size (docs/formats/lab.md) must round where their originals round.
  return CeilToBits(-static_cast<double>(keys) * std::log(rate) /
                    (kLn2 * kLn2));
}

std::uint64_t BloomBitsAt(std::uint64_t keys, double bits_per_key) noexcept {
  return CeilToBits(static_cast<double>(keys) * bits_per_key);
}

unsigned BloomProbes(double bits_per_key, unsigned most) noexcept {
  const double probes = std::round(bits_per_key * kLn2);
  return static_cast<unsigned>(
      std::clamp(probes, 1.0, static_cast<double>(most)));
}

double BloomFill(std::uint64_t bits, std::uint64_t keys,
                 unsigned probes) noexcept {
  if (keys == 0 || probes == 0) return 0.0;
  if (bits <= 1) return 1.0;
  const double marks = static_cast<double>(keys) * probes;
  return -std::expm1(marks * std::log1p(-1.0 / static_cast<double>(bits)));
}

double BloomRateFromFill(double fill, unsigned probes) noexcept {
  return std::pow(fill, static_cast<double>(probes));
}

double BloomRate(std::uint64_t bits, std::uint64_t keys,
                 unsigned probes) noexcept {
  return BloomRateFromFill(BloomFill(bits, keys, probes), probes);
}

double BloomKeysFromFill(std::uint64_t bits, std::uint64_t set_bits,
                         unsigned probes) noexcept {
  if (set_bits == 0 || probes == 0) return 0.0;
  const double m = static_cast<double>(bits);
  const double set = set_bits >= bits ? m - 0.5 : static_cast<double>(set_bits);
  return -m / probes * std::log1p(-set / m);
}

std::uint64_t BloomCapacity(std::uint64_t bits, unsigned probes,
                            double rate) noexcept {
  if (bits <= 1 || probes == 0 || !(rate > 0.0)) return 0;
  if (rate >= 1.0) return ~std::uint64_t{0};
  const double fill = std::pow(rate, 1.0 / probes);
  const double keys = std::log1p(-fill) /
                      (probes * std::log1p(-1.0 / static_cast<double>(bits)));
  return static_cast<std::uint64_t>(std::min(keys, kMaxBits));
}

BloomHealth BloomHealthOf(std::uint64_t bits, std::uint64_t set_bits) noexcept {
  // Half the bits set is the best use of them.  At 0.55 a filter of 7 probes
  // errs twice as often as at 0.5: (0.55 / 0.5)^7 = 1.95.
  constexpr double kSaturatedFill = 0.55;
  // At 0.25, the same keys and rate would fit into half the bits.
  constexpr double kOversizedFill = 0.25;
  // Below one KiB there is nothing worth saving, and formats round up.
  constexpr std::uint64_t kSmallBits = 8192;

  if (set_bits == 0) return BloomHealth::kEmpty;
  const double m = static_cast<double>(bits);
  const double fill = static_cast<double>(set_bits) / m;
  const double noise = 3.0 * 0.5 / std::sqrt(m);  // three deviations
  if (fill > kSaturatedFill + noise) return BloomHealth::kSaturated;
  if (bits > kSmallBits && fill < kOversizedFill) {
    return BloomHealth::kOversized;
  }
  return BloomHealth::kOk;
}

}  // namespace tamis
