// SPDX-License-Identifier: Apache-2.0
#include "math/cuckoo_sizing.h"

#include <algorithm>
#include <cmath>

namespace tamis {
namespace {

constexpr double kSlotsOfPair = 8;  // two buckets of four
constexpr unsigned kMaxSlotBits = 32;
constexpr unsigned kMinSlotBits = 4;
constexpr double kMaxBuckets = 4611686018427387904.0;

double LargestFingerprint(unsigned bits) noexcept {
  return std::exp2(bits) - 1;
}

// Nine keys cannot share one fingerprint and one pair of buckets.  Among n keys
// at the planned load, with F fingerprints, some nine do so with probability
// about n (8 kCuckooLoad)^8 / (9! F^8): with so many bits, below 10^-9.
unsigned BitsToFindRoom(double keys) noexcept {
  unsigned bits = kMinSlotBits;
  while (bits < kMaxSlotBits &&
         std::pow(LargestFingerprint(bits), 8) < 3.1e10 * keys) {
    ++bits;
  }
  return bits;
}

// Nor can nine keys share a pair of buckets.  In small tables that is the first
// failure: of n keys on h^2 pairs some nine do so with probability n^9 / (9!
// h^16), which is below 10^-9 from h = 1.65 n^(9/16) on.  From some 200 keys
// on, what matters more is how far the load of a table of h pairs varies from
// that of large ones: by 0.06 / sqrt(h), and this allows for eight times that.
// From some 4,000 keys on, the planned load requires more.
double PairsToFindRoom(double keys) noexcept {
  if (keys <= kSlotsOfPair) return 1;
  constexpr double kReached = 0.979;
  return std::max(1.65 * std::pow(keys, 9.0 / 16),
                  keys / (kSlotsOfPair * kReached) + 0.25 * std::sqrt(keys));
}

}  // namespace

double CuckooRate(const CuckooSize& size, std::uint64_t keys) noexcept {
  // An absent key matches a key that has the same fingerprint and the same
  // lower bucket.
  const std::uint64_t half = size.buckets / 2;
  const auto lower = static_cast<double>(half);
  const double places = lower * LargestFingerprint(size.bits);
  return -std::expm1(static_cast<double>(keys) * std::log1p(-1 / places));
}

unsigned FingerprintBitsAt(double rate, std::uint64_t keys) noexcept {
  unsigned bits = BitsToFindRoom(static_cast<double>(keys));
  // 1 - (1 - 1/(h F))^n is below 1 - exp(-x), x = n / (h (F - 1)).
  const double most = -std::log1p(-rate);
  while (bits <= kMaxSlotBits &&
         kSlotsOfPair * kCuckooLoad / (LargestFingerprint(bits) - 1) > most) {
    ++bits;
  }
  return bits;
}

unsigned FingerprintBitsWithin(double bits_per_key) noexcept {
  const double bits = std::floor(bits_per_key * kCuckooLoad);
  return static_cast<unsigned>(std::clamp(bits, 0.0, double{kMaxSlotBits}));
}

std::uint64_t CuckooBuckets(std::uint64_t keys, double slots_per_key) noexcept {
  const double n = static_cast<double>(keys);
  const double pairs = std::ceil(std::max(
      {1.0, n * std::max(slots_per_key, 1 / kCuckooLoad) / kSlotsOfPair,
       PairsToFindRoom(n)}));
  if (2 * pairs >= kMaxBuckets) return std::uint64_t{1} << 62;
  return 2 * static_cast<std::uint64_t>(pairs);
}

}  // namespace tamis
