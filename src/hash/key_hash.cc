// SPDX-License-Identifier: Apache-2.0
#include "tamis/key_hash.h"

#include <cstddef>

#include "hash/xxhash.h"

namespace tamis {

KeyHash HashKey(Slice key, std::uint64_t seed) noexcept {
  return {.value = Xxh3Short(key, seed), .seed = seed};
}

KeyHashes HashKeys(std::span<const Slice> keys, std::span<std::uint64_t> values,
                   std::uint64_t seed) noexcept {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    values[i] = Xxh3Short(keys[i], seed);
  }
  return {.values = values, .seed = seed};
}

}  // namespace tamis
