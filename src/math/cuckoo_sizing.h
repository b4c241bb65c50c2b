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

// The share of slots that the planned keys fill.  The first insertion fails at
// about 97 % (docs/design/7-mutable.md).
inline constexpr double kCuckooLoad = 0.95;

// Returns the expected rate of false positives with n distinct keys: exact.
double CuckooRate(const CuckooSize& size, std::uint64_t keys) noexcept;

// Returns the bits of the shortest fingerprint with which that many planned
// keys fit and stay within that rate; above 32 if there is none.
// REQUIRES: 0 < rate < 1
unsigned FingerprintBitsAt(double rate, std::uint64_t keys) noexcept;

// Returns the bits of the longest fingerprint that fits into that many bits per
// key; below 4 if there is none, at most 32.
unsigned FingerprintBitsWithin(double bits_per_key) noexcept;

// Returns the buckets for n planned keys with so many slots per key, or more if
// the keys would not fit otherwise.  Saturates at 2^62.
std::uint64_t CuckooBuckets(std::uint64_t keys, double slots_per_key) noexcept;

}  // namespace tamis
