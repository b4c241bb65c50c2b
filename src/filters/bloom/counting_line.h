// SPDX-License-Identifier: Apache-2.0
// filters/bloom/counting_line.h -- the counting Bloom filter: a line of 64
// bytes is 128 counters of four bits, and a key increments those that its
// probes hit, all in one line.
//
// (Counters instead of bits: Fan, Cao, Almeida, Broder, "Summary cache", 2000.)
// A key is a line and 32 more bits of its hash.  Probe i is counter
// (bits * factor[i] mod 2^32) >> 25; counter c is the lower half of byte c / 2
// if c is even, else the upper.  Probes that hit the same counter count once,
// so that an erasure subtracts exactly what an insertion added.
//
// A counter that reaches 15 stays there: the number of its keys is no longer
// known, so erasures must not decrement it.

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/coding.h"
#include "filters/bloom/line_bloom.h"

namespace tamis {

inline constexpr std::size_t kCountingLineBytes = 64;
inline constexpr unsigned kCountersPerLine = 128;
inline constexpr unsigned kCounterBits = 4;
inline constexpr unsigned kStuckCount = 15;
inline constexpr unsigned kMaxCountingProbes = 32;
// The multiplier of the cache-local kind.
inline constexpr LineFactors kCountingFactors = PowersOf(0xadb4a92d);

inline unsigned CounterOf(std::uint32_t bits, unsigned probe) noexcept {
  constexpr unsigned kShift = 32 - 7;  // 128 is 2^7
  return (bits * kCountingFactors[probe]) >> kShift;
}

// REQUIRES, for all below: kCountingLineBytes bytes at `line`, of any
// alignment; probes <= kMaxCountingProbes

inline unsigned CountAt(const unsigned char* line, unsigned counter) noexcept {
  return static_cast<unsigned>(line[counter / 2]) >>
             (counter % 2 * kCounterBits) &
         kStuckCount;
}

// Has no branch, like CheckLine().
inline bool CheckCounters(const unsigned char* line, std::uint32_t bits,
                          unsigned probes) noexcept {
  bool all = true;
  for (unsigned i = 0; i < probes; ++i) {
    all &= CountAt(line, CounterOf(bits, i)) != 0;
  }
  return all;
}

// Calls visit(byte, one) for each counter of a key: the counter is the half of
// *byte whose lowest bit is `one`.  If a probe hits a counter for the second
// time, `one` is 0: a branch would be unpredictable.
template <typename Visit>
void ForEachCounter(unsigned char* line, std::uint32_t bits, unsigned probes,
                    const Visit& visit) noexcept {
  std::array<std::uint64_t, kCountersPerLine / 64> seen{};
  for (unsigned i = 0; i < probes; ++i) {
    const unsigned counter = CounterOf(bits, i);
    std::uint64_t& word = seen[counter / 64];
    const unsigned is_new = ~static_cast<unsigned>(word >> counter % 64) & 1;
    word |= std::uint64_t{1} << counter % 64;
    visit(&line[counter / 2], is_new << (counter % 2 * kCounterBits));
  }
}

inline void AddToCounters(unsigned char* line, std::uint32_t bits,
                          unsigned probes) noexcept {
  ForEachCounter(line, bits, probes, [](unsigned char* byte, unsigned one) {
    const unsigned stuck = kStuckCount * one;
    const unsigned add = (*byte & stuck) == stuck ? 0 : one;
    *byte = static_cast<unsigned char>(*byte + add);
  });
}

// REQUIRES: CheckCounters(), so that no counter is 0
inline void TakeFromCounters(unsigned char* line, std::uint32_t bits,
                             unsigned probes) noexcept {
  ForEachCounter(line, bits, probes, [](unsigned char* byte, unsigned one) {
    const unsigned stuck = kStuckCount * one;
    const unsigned take = (*byte & stuck) == stuck ? 0 : one;
    *byte = static_cast<unsigned char>(*byte - take);
  });
}

// Returns how many counters of the line are not 0.
inline unsigned CountOccupied(const unsigned char* line) noexcept {
  constexpr std::uint64_t kLowest = 0x1111111111111111;
  int occupied = 0;
  for (std::size_t at = 0; at < kCountingLineBytes; at += 8) {
    std::uint64_t word = LoadLittle64(line + at);
    word |= word >> 2;
    word |= word >> 1;
    occupied += std::popcount(word & kLowest);
  }
  return static_cast<unsigned>(occupied);
}

// Adds counter by counter, up to kStuckCount: the result is the line of the
// keys of both.
inline void AddLine(unsigned char* into, const unsigned char* from) noexcept {
  for (std::size_t i = 0; i < kCountingLineBytes; ++i) {
    const unsigned low = (into[i] & 15u) + (from[i] & 15u);
    const unsigned high = (into[i] >> 4) + (from[i] >> 4);
    into[i] = static_cast<unsigned char>(
        (low < kStuckCount ? low : kStuckCount) |
        (high < kStuckCount ? high : kStuckCount) << kCounterBits);
  }
}

}  // namespace tamis
