// SPDX-License-Identifier: Apache-2.0
#include "tamis/bloom_math.h"

#include <algorithm>
#include <cmath>

namespace tamis {
namespace {

// Sizes are kept below 2^63, so that sums of a few of them cannot wrap.
constexpr double kMaxFilterBits = 9223372036854775808.0;

std::uint64_t CeilToBits(double bits) noexcept {
  if (!(bits > 1.0)) return 1;
  if (bits >= kMaxFilterBits) return std::uint64_t{1} << 63;
  return static_cast<std::uint64_t>(std::ceil(bits));
}

// Variance of the share of bits set: that of the number of occupied boxes
// after k n balls, divided by m^2, arranged so that little cancels.
double FillVariance(std::uint64_t bits, std::uint64_t keys,
                    unsigned probes) noexcept {
  const double m = static_cast<double>(bits);
  const double marks = static_cast<double>(keys) * probes;
  const double empty = std::exp(marks * std::log1p(-1.0 / m));
  const double pairs =
      std::expm1(marks * std::log1p(-1.0 / ((m - 1.0) * (m - 1.0))));
  // For few keys in 2^50 bits and more, rounding can leave it below zero.
  return std::max(0.0, empty * empty * (pairs - (1.0 + pairs) / m) + empty / m);
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
  if (!(probes > 1.0)) return 1;  // or NaN
  return static_cast<unsigned>(std::min(probes, static_cast<double>(most)));
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
  const double fill = BloomFill(bits, keys, probes);
  const double rate = BloomRateFromFill(fill, probes);
  if (probes < 2 || fill <= 0.0 || fill >= 1.0) return rate;
  // The fill varies from filter to filter, and the mean of fill^k exceeds (mean
  // fill)^k by its second derivative times half the variance.
  const double k = probes;
  const double curvature = k * (k - 1) * std::pow(fill, k - 2);
  return std::min(1.0, rate + curvature / 2 * FillVariance(bits, keys, probes));
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
  std::uint64_t fits = 0;
  std::uint64_t too_many = std::uint64_t{1} << 63;
  while (too_many - fits > 1) {
    const std::uint64_t middle = fits + (too_many - fits) / 2;
    (BloomRate(bits, middle, probes) <= rate ? fits : too_many) = middle;
  }
  return fits;
}

BloomHealth BloomHealthOf(std::uint64_t bits, std::uint64_t set_bits) noexcept {
  // It is best to have half the bits set.  At 0.55 a filter of 7 probes has
  // twice the rate that it has at 0.5: (0.55 / 0.5)^7 = 1.95.
  constexpr double kSaturatedFill = 0.55;
  // At 0.25, the same keys would leave less than half of half the bits set,
  // and so keep the rate that k probes are meant for, 2^-k.
  constexpr double kOversizedFill = 0.25;
  // Below one KiB there is nothing worth saving, and formats round up.
  constexpr std::uint64_t kSmallBits = 8192;

  if (set_bits == 0) return BloomHealth::kEmpty;
  const double m = static_cast<double>(bits);
  const double fill = static_cast<double>(set_bits) / m;
  const double noise = 3.0 * 0.5 / std::sqrt(m);  // three deviations
  if (set_bits == bits || fill > kSaturatedFill + noise) {
    return BloomHealth::kSaturated;
  }
  if (bits > kSmallBits && fill < kOversizedFill) {
    return BloomHealth::kOversized;
  }
  return BloomHealth::kOk;
}

}  // namespace tamis
