// SPDX-License-Identifier: Apache-2.0
// math/leveldb_sizing.h -- how LevelDB sizes its Bloom filters, which is not
// how the textbook does: probes are cut, not rounded, and bits fill bytes.

#pragma once

#include <cstdint>

namespace tamis {

// The probes LevelDB makes for that many bits per key.
unsigned LevelDbProbes(std::uint64_t bits_per_key) noexcept;

// The bits (a multiple of 8) LevelDB gives to that many keys.
std::uint64_t LevelDbBits(std::uint64_t keys,
                          std::uint64_t bits_per_key) noexcept;

// Rate of false positives of LevelDB's filter over n distinct keys.  Its hash
// has 32 bits, so on top of the textbook's rate an absent key shares the whole
// hash of some key with probability about n / 2^32; and of more than 2^32
// bits only the first 2^32 are ever used.
double LevelDbRate(std::uint64_t bits, std::uint64_t keys,
                   unsigned probes) noexcept;

// The fewest whole bits per key that reach `rate` by the textbook's formula
// and LevelDB's choice of probes; at most kMaxLevelDbBitsPerKey.
std::uint64_t LevelDbBitsPerKeyFor(double rate) noexcept;
inline constexpr std::uint64_t kMaxLevelDbBitsPerKey = 100;

}  // namespace tamis
