// SPDX-License-Identifier: Apache-2.0
// tamis/bloom_math.h -- sizes and error rates of Bloom filters, both ways.
//
// n keys, m bits, k probes per key.  Everything is computed in a form that
// stays exact to a few units in the last place from one bit to beyond 2^40.

#pragma once

#include <cstdint>

#include "tamis/export.h"

namespace tamis {

// The natural logarithm of 2.
inline constexpr double kLn2 = 0.69314718055994530942;

// Bits per key that an optimal Bloom filter needs for a rate in (0, 1):
// log2(1/rate) / ln 2.
TAMIS_EXPORT double BloomBitsPerKey(double rate) noexcept;

// The textbook size: m = ceil(n * BloomBitsPerKey(rate)), at least 1.
// Saturates at 2^63 where the product would not fit.
TAMIS_EXPORT std::uint64_t BloomBits(std::uint64_t keys, double rate) noexcept;

// ceil(n * bits_per_key), at least 1; saturates likewise.
TAMIS_EXPORT std::uint64_t BloomBitsAt(std::uint64_t keys,
                                       double bits_per_key) noexcept;

// The textbook number of probes: round(bits_per_key * ln 2), within [1, most].
// REQUIRES: most >= 1
inline constexpr unsigned kMaxBloomProbes = 30;
TAMIS_EXPORT unsigned BloomProbes(double bits_per_key,
                                  unsigned most = kMaxBloomProbes) noexcept;

// Expected share of bits set after n keys: 1 - (1 - 1/m)^(k n).
TAMIS_EXPORT double BloomFill(std::uint64_t bits, std::uint64_t keys,
                              unsigned probes) noexcept;

// Rate of false positives with that share of bits set: fill^k.
TAMIS_EXPORT double BloomRateFromFill(double fill, unsigned probes) noexcept;

// Rate of false positives with n keys in m bits: fill^k, plus a term for the
// variance of the fill, which matters below a few hundred bits (the textbook
// formula alone gives 1.05 % for 1 key in 10 bits; the true rate is 1.75 %).
// For a filter that holds more keys than planned, pass the actual n.
TAMIS_EXPORT double BloomRate(std::uint64_t bits, std::uint64_t keys,
                              unsigned probes) noexcept;

// How many keys explain that many set bits: -(m/k) ln(1 - X/m), the inverse
// of BloomFill().  A filter with every bit set could hold any number of keys:
// the result is then that for m - 1/2 set bits, the largest meaningful
// estimate.
// REQUIRES: set_bits <= bits
TAMIS_EXPORT double BloomKeysFromFill(std::uint64_t bits,
                                      std::uint64_t set_bits,
                                      unsigned probes) noexcept;

// The number of keys that a filter of m bits and k probes takes before its rate
// exceeds `rate`; 0 where even one key is too many.
TAMIS_EXPORT std::uint64_t BloomCapacity(std::uint64_t bits, unsigned probes,
                                         double rate) noexcept;

// The state of a filter in one word.
enum class BloomHealth {
  kEmpty,      // no bit is set
  kOk,         //
  kSaturated,  // well over half the bits are set: too many keys, or,
               // below 1.3 bits per key, by design
  kOversized,  // less than a quarter is set, and it is not a small filter:
               // in half the memory it would still be less than half full
};
TAMIS_EXPORT BloomHealth BloomHealthOf(std::uint64_t bits,
                                       std::uint64_t set_bits) noexcept;

}  // namespace tamis
