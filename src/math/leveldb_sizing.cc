// SPDX-License-Identifier: Apache-2.0
#include "math/leveldb_sizing.h"

#include <algorithm>
#include <cmath>

#include "tamis/bloom_math.h"

namespace tamis {

unsigned LevelDbProbes(std::uint64_t bits_per_key) noexcept {
  // Truncated, not rounded, and 0.69, not ln 2: our bytes must equal LevelDB's.
  constexpr double kLevelDbLn2 = 0.69;
  const auto probes = static_cast<std::uint64_t>(
      static_cast<double>(bits_per_key) * kLevelDbLn2);
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(probes, 1, kMaxBloomProbes));
}

std::uint64_t LevelDbBits(std::uint64_t keys,
                          std::uint64_t bits_per_key) noexcept {
  constexpr std::uint64_t kFewestBits = 64;  // fewer have too high a rate
  const std::uint64_t bits = std::max(
      kFewestBits, BloomBitsAt(keys, static_cast<double>(bits_per_key)));
  return (bits + 7) / 8 * 8;
}

double LevelDbRate(std::uint64_t bits, std::uint64_t keys,
                   unsigned probes) noexcept {
  constexpr std::uint64_t kHashValues = std::uint64_t{1} << 32;
  const double by_bits = BloomRate(std::min(bits, kHashValues), keys, probes);
  const double by_hash = BloomFill(kHashValues, keys, 1);
  return by_bits + (1.0 - by_bits) * by_hash;
}

std::uint64_t LevelDbBitsPerKeyFor(double rate) noexcept {
  std::uint64_t bits = 1;
  while (bits < kMaxLevelDbBitsPerKey) {
    const double k = LevelDbProbes(bits);
    const double reached =
        std::pow(-std::expm1(-k / static_cast<double>(bits)), k);
    if (reached <= rate) break;
    ++bits;
  }
  return bits;
}

}  // namespace tamis
