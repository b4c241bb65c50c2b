// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/standard.h -- the equations of RocksDB's Standard128 Ribbon.
// It works on 64-bit hashes, without keys or files.
//
// Every hash is one equation over 128 consecutive rows of a solution: the
// exclusive or of the rows that its coefficients select is its result, a
// fingerprint of up to 32 columns.  A solution satisfies the equation of every
// hash it was built from (filters/ribbon/standard_build.h); for any other hash
// it does so with probability 2^-columns, which is how a query answers
// (filters/ribbon/standard_query.h).
//
// The solution is stored in blocks of 128 rows, a block as one 16-byte segment
// per column; see docs/formats/rocksdb-ribbon.md.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/coding.h"
#include "base/wide_math.h"
#include "math/rocksdb_sizing.h"

namespace tamis {

inline constexpr std::size_t kRibbonSegmentBytes = 16;
inline constexpr unsigned kRibbonSeeds = 256;  // tried before giving up

// How a hash becomes an equation, under one of the 256 seeds.
struct RibbonSeed {
  std::uint64_t raw = 0;
  std::uint64_t starts = 1;  // first rows an equation can have
};

// Spreads one of the 256 seeds over 32 bits; 0 stays 0.
constexpr std::uint64_t RibbonRawSeed(std::uint8_t ordinal) noexcept {
  std::uint64_t mixed = ordinal * 0xc78219a23eeadd03;
  mixed ^= (mixed & 0xf0f0f0f0f0f0f0f0) >> 4;
  return mixed & 0xffffffff;
}

// REQUIRES: blocks >= 1
constexpr RibbonSeed RibbonSeedFor(std::uint8_t ordinal,
                                   std::uint64_t blocks) noexcept {
  return {.raw = RibbonRawSeed(ordinal),
          .starts = (blocks - 1) * kRibbonBlockSlots + 1};
}

// The hash under that seed, from which the equation is derived.  A larger one
// never starts at an earlier row.
inline constexpr std::uint64_t kRibbonFactor = 0x6193d459236a3a0d;
constexpr std::uint64_t RibbonRehash(std::uint64_t hash,
                                     std::uint64_t raw_seed) noexcept {
  return (hash ^ raw_seed) * kRibbonFactor;
}

// The inverse: RibbonUnhash(RibbonRehash(h, r), r) is h.
constexpr std::uint64_t RibbonUnhash(std::uint64_t rehash,
                                     std::uint64_t raw_seed) noexcept {
  constexpr std::uint64_t kInverse = 0xddd3ddd3eb15a4c5;  // modulo 2^64
  static_assert(kRibbonFactor * kInverse == 1);
  return (rehash * kInverse) ^ raw_seed;
}

constexpr std::uint64_t RibbonStart(std::uint64_t rehash,
                                    std::uint64_t starts) noexcept {
  return MultiplyHigh(rehash, starts);
}

struct RibbonEquation {
  Uint128 coefficients;  // bit i selects row start + i; bit 0 is set
  std::uint32_t result;  // bit j: the required sum of column j
};

constexpr RibbonEquation RibbonEquationFor(std::uint64_t rehash) noexcept {
  const std::uint64_t a = rehash * 0xc28f82822b650bed;
  const std::uint64_t low = (a ^ 0xc367844a6e52731d) | 1;
  return {.coefficients = Uint128{a} << 64 | low,
          .result = static_cast<std::uint32_t>(ByteSwap(a))};
}

}  // namespace tamis
