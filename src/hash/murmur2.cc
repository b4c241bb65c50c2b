// SPDX-License-Identifier: Apache-2.0
// Specification: MurmurHash.hash2_64 of Cassandra 1.1, which is MurmurHash64A
// by Austin Appleby (public domain) with a seed of 32 bits, and with the last
// n mod 8 bytes sign-extended before they are shifted into place.

#include "hash/murmur2.h"

#include <cstddef>
#include <cstdint>

#include "base/coding.h"

namespace tamis {
namespace {

std::uint64_t Hash(Slice data, std::uint32_t seed) noexcept {
  constexpr std::uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  constexpr unsigned kShift = 47;

  std::uint64_t h = seed ^ data.size() * kMultiplier;
  for (; data.size() >= 8; data.remove_prefix(8)) {
    std::uint64_t k = LoadLittle64(data.data()) * kMultiplier;
    k ^= k >> kShift;
    h = (h ^ k * kMultiplier) * kMultiplier;
  }
  if (!data.empty()) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      const auto byte = static_cast<std::int8_t>(data[i]);
      h ^= static_cast<std::uint64_t>(byte) << (8 * i);
    }
    h *= kMultiplier;
  }
  h ^= h >> kShift;
  h *= kMultiplier;
  return h ^ h >> kShift;
}

}  // namespace

Hash128 Murmur2CassandraPair(Slice data) noexcept {
  const std::uint64_t first = Hash(data, 0);
  return {first, Hash(data, static_cast<std::uint32_t>(first))};
}

}  // namespace tamis
