// SPDX-License-Identifier: Apache-2.0
// formats/taken_hash.h -- one loop for keys and for hashes of keys: both give
// a filter of our own its 64-bit hash, the ones by hashing, the others as they
// are.

#pragma once

#include <cstdint>

#include "hash/xxhash.h"
#include "tamis/filter.h"

namespace tamis {

[[gnu::always_inline]] static inline std::uint64_t HashOrTake(
    Slice key, std::uint64_t seed) noexcept {
  return Xxh3Short(key, seed);
}
// REQUIRES: `hash` was made with `seed`
[[gnu::always_inline]] static inline std::uint64_t HashOrTake(
    std::uint64_t hash, std::uint64_t /*seed*/) noexcept {
  return hash;
}

// Stands where a format would hash a key.
struct TakesHashes {
  std::uint64_t HashOf(std::uint64_t hash,
                       std::uint64_t /*seed*/) const noexcept {
    return hash;
  }
};

}  // namespace tamis
