// SPDX-License-Identifier: Apache-2.0
// formats/taken_hash.h -- lets one loop serve both keys and hashes of keys:
// keys are hashed, and hashes are used as they are.

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

// Takes the place of a format's hash function.
struct TakesHashes {
  template <typename Hash>
  Hash HashOf(Hash hash, std::uint64_t /*seed*/) const noexcept {
    return hash;
  }
};

}  // namespace tamis
