// SPDX-License-Identifier: Apache-2.0
// math/leveldb_sizing.h -- how LevelDB sizes its Bloom filters, which differs
// from the textbook: probes are truncated, not rounded, and bits fill bytes.

#pragma once

#include <cstdint>

namespace tamis {

// Returns LevelDB's number of probes for that many bits per key.
unsigned LevelDbProbes(std::uint64_t bits_per_key) noexcept;

// Returns LevelDB's number of bits (a multiple of 8) for that many keys.
std::uint64_t LevelDbBits(std::uint64_t keys,
                          std::uint64_t bits_per_key) noexcept;

// Returns the rate of false positives of LevelDB's filter over n distinct keys.
// Its hash has 32 bits, so in addition to the textbook's rate an absent key
// shares the whole hash of some key with probability about n / 2^32; and of
// more than 2^32 bits only the first 2^32 are ever used.
double LevelDbRate(std::uint64_t bits, std::uint64_t keys,
                   unsigned probes) noexcept;

// Returns the smallest whole number of bits per key that meets `rate`, by the
// textbook's formula with LevelDB's number of probes; at most
// kMaxLevelDbBitsPerKey.
std::uint64_t LevelDbBitsPerKeyFor(double rate) noexcept;
inline constexpr std::uint64_t kMaxLevelDbBitsPerKey = 100;

}  // namespace tamis
