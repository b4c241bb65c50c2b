// SPDX-License-Identifier: Apache-2.0
// math/cuckoo_sizing.h -- error rates and sizes of cuckoo filters
// (filters/cuckoo/cuckoo_table.h): n keys, buckets of four slots, f bits a
// slot.

#pragma once

#include <cstdint>

namespace tamis {

struct CuckooSize {
  std::uint64_t buckets = 2;  // even
  unsigned bits = 4;          // of a fingerprint, f
};

// Slots that are filled when the planned keys are in.  The first key that
// finds no room comes at 97 % (docs/design/7-mutable.md).
inline constexpr double kCuckooLoad = 0.95;

// Expected rate of false positives with n different keys in it: exact.
double CuckooRate(const CuckooSize& size, std::uint64_t keys) noexcept;

// Bits of the shortest fingerprint with which that many planned keys err at
// most at that rate, and find room; above 32 if there is none.
// REQUIRES: 0 < rate < 1
unsigned FingerprintBitsAt(double rate, std::uint64_t keys) noexcept;

// Bits of the longest fingerprint that slots of that many bits per key leave
// room for; below 4 if there is none, at most 32.
unsigned FingerprintBitsWithin(double bits_per_key) noexcept;

// Buckets for n planned keys that have so many slots each, or more if it
// takes more for all of them to find room.  Saturates at 2^62.
std::uint64_t CuckooBuckets(std::uint64_t keys, double slots_per_key) noexcept;

}  // namespace tamis
