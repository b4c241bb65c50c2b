// SPDX-License-Identifier: Apache-2.0
// hash/hash_pair.h -- the hash of a key in formats that need more than 64 bits.

#pragma once

#include <cstdint>

namespace tamis {

// Two independent 64-bit halves of a hash.
struct HashPair {
  std::uint64_t first;
  std::uint64_t second;
  bool operator==(const HashPair&) const = default;
};

}  // namespace tamis
