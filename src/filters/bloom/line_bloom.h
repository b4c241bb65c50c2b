// SPDX-License-Identifier: Apache-2.0
// filters/bloom/line_bloom.h -- the cache-local Bloom filter: all bits of a key
// are in one line of 64 bytes, so that a query costs one memory access.
//
// (The idea: Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom
// Filters", 2007.)  A key is a line and 32 more bits of its hash.  Probe i is
// bit (bits * factor[i] mod 2^32) >> 23 of the line's 512, bit p being bit
// p mod 8, least significant first, of byte p / 8.  The factors differ between
// formats.
//
// These functions are the definition; kernels.h has faster versions for many
// keys at once.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tamis {

inline constexpr std::size_t kLineBytes = 64;
inline constexpr std::uint64_t kLineBits = 512;
inline constexpr unsigned kMaxLineProbes = 32;

using LineFactors = std::array<std::uint32_t, kMaxLineProbes>;

// 1, base, base^2, ...
constexpr LineFactors PowersOf(std::uint32_t base) noexcept {
  LineFactors factors{};
  std::uint32_t power = 1;
  for (std::uint32_t& factor : factors) {
    factor = power;
    power *= base;
  }
  return factors;
}

// REQUIRES: count <= kMaxLineProbes, and there are as many factors
struct LineProbes {
  const std::uint32_t* factors;
  unsigned count;

  unsigned PositionOf(std::uint32_t bits, unsigned i) const noexcept {
    constexpr unsigned kShift = 32 - 9;  // 512 is 2^9
    return (bits * factors[i]) >> kShift;
  }
};

// Probes in the form that a query of one hash reads them in: all in one place,
// eight lanes each.
struct alignas(64) WideLineProbes {
  static constexpr unsigned kMax = 8;

  // Of more than kMax probes, the first.
  constexpr explicit WideLineProbes(const LineProbes& probes) noexcept
      : count(probes.count) {
    for (unsigned i = 0; i < count && i < kMax; ++i) {
      factors[i] = probes.factors[i];
      ones[i] = 1;
    }
  }

  std::uint32_t factors[kMax] = {};
  std::uint32_t ones[kMax] = {};  // 1 for each probe
  std::uint32_t count = 0;        // of all
};

// REQUIRES, for all: kLineBytes bytes at `line`, of any alignment

inline void MarkProbe(unsigned char* line, unsigned position) noexcept {
  unsigned char& byte = line[position / 8];
  byte = static_cast<unsigned char>(byte | (1u << (position % 8)));
}

inline void MarkLine(unsigned char* line, std::uint32_t bits,
                     const LineProbes& probes) noexcept {
  for (unsigned i = 0; i < probes.count; ++i) {
    MarkProbe(line, probes.PositionOf(bits, i));
  }
}

// The lowest bit is the answer.
inline unsigned CheckProbe(const unsigned char* line,
                           unsigned position) noexcept {
  return static_cast<unsigned>(line[position / 8]) >> (position % 8);
}

// Has no branch: the bits of a line are unpredictable, and a misprediction
// would cost more than the probes that it saves.
inline bool CheckLine(const unsigned char* line, std::uint32_t bits,
                      const LineProbes& probes) noexcept {
  unsigned all = 1;
  for (unsigned i = 0; i < probes.count; ++i) {
    all &= CheckProbe(line, probes.PositionOf(bits, i));
  }
  return (all & 1) != 0;
}

}  // namespace tamis
