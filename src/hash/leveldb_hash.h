// SPDX-License-Identifier: Apache-2.0
// hash/leveldb_hash.h -- the hash of LevelDB's Bloom filters and caches, and
// the part that it shares with RocksDB's 32-bit hash: all but how the last
// bytes are read.
//
// Specification: util/hash.cc of both projects.  The function resembles Murmur,
// with one multiplier and no finalizer: a key whose length is a multiple of
// four ends with its last word, and the empty key hashes to the seed.

#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/coding.h"
#include "tamis/filter.h"

namespace tamis {

// `TailByte` is how the one to three bytes after the last full word are read:
// std::uint8_t, or std::int8_t, whose sign spreads over the higher bits.
template <typename TailByte>
std::uint32_t LevelDbHashBody(Slice data, std::uint32_t seed) noexcept {
  static_assert(sizeof(TailByte) == 1 && std::is_integral_v<TailByte>);
  constexpr std::uint32_t kMultiplier = 0xc6a4a793;
  const auto extended = [](char byte) {
    return static_cast<std::uint32_t>(static_cast<TailByte>(byte));
  };

  // Only the low 32 bits of the length are used, as in the originals.
  std::uint32_t h =
      seed ^ static_cast<std::uint32_t>(data.size()) * kMultiplier;
  for (; data.size() >= 4; data.remove_prefix(4)) {
    h += LoadLittle32(data.data());
    h *= kMultiplier;
    h ^= h >> 16;
  }
  if (data.empty()) return h;
  for (std::size_t i = data.size(); i-- > 0;) h += extended(data[i]) << (8 * i);
  h *= kMultiplier;
  return h ^ h >> 24;
}

// Returns what leveldb::Hash() returns, in which every byte is unsigned.
// RocksDB's function of the same origin differs if one of the last bytes is
// 0x80 or more: see RocksDbHash32().
inline std::uint32_t LevelDbHash(Slice data, std::uint32_t seed) noexcept {
  return LevelDbHashBody<std::uint8_t>(data, seed);
}

}  // namespace tamis
