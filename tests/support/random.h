// SPDX-License-Identifier: Apache-2.0
// support/random.h -- hashes and bytes by chance, the same for the same seed.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tamis::testing {

using Hashes = std::vector<std::uint64_t>;

inline Hashes RandomHashes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Hashes hashes(count);
  for (std::uint64_t& hash : hashes) hash = random();
  return hashes;
}

// Ascending, without duplicates.
inline Hashes Sorted(Hashes hashes) {
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

inline std::string RandomBytes(std::mt19937_64* random, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>((*random)());
  return bytes;
}

}  // namespace tamis::testing
