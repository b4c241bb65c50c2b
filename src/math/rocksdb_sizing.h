// SPDX-License-Identifier: Apache-2.0
// math/rocksdb_sizing.h -- how RocksDB sizes its filters: from a setting in
// bits per key to bytes and probes, exactly.
//
// Pure functions.  Logarithms and exponentials are used in RocksDB's order of
// operations: a result that is one bit off moves a boundary, and then the
// length of the filter differs from RocksDB's.

#pragma once

#include <cstdint>

namespace tamis {

inline constexpr unsigned kRocksDbLineBytes = 64;  // of both Bloom formats

// The setting as RocksDB understands it: 0 for less than 0.5, which means no
// filter at all; otherwise within 1 to 100, and 100 for NaN.
double RocksDbBitsPerKey(double setting) noexcept;

// The same in thousandths of a bit, rounded: 0, or 1,000 to 100,000.
unsigned RocksDbMillibits(double setting) noexcept;

// FastLocalBloom, since format_version 5.

// REQUIRES: millibits > 0
unsigned RocksDbBloomProbes(unsigned millibits) noexcept;

// Bytes of the lines, without the trailer: a multiple of 64, 0 for no keys,
// never more than kMaxRocksDbBloomBytes.
std::uint64_t RocksDbBloomBytes(std::uint64_t keys,
                                unsigned millibits) noexcept;
inline constexpr std::uint64_t kMaxRocksDbBloomBytes = 0xffffffc0;

// Legacy Bloom, up to format_version 4.

struct RocksDbLegacySize {
  unsigned probes = 1;
  std::uint64_t lines = 0;  // odd; 0 for no keys
};
// REQUIRES: millibits > 0
RocksDbLegacySize RocksDbLegacySizeFor(std::uint64_t keys,
                                       unsigned millibits) noexcept;

// Standard128 Ribbon.

inline constexpr unsigned kRibbonBlockSlots = 128;
inline constexpr unsigned kMaxStandardRibbonColumns = 32;
// Above this, RocksDB falls back to FastLocalBloom.
inline constexpr std::uint64_t kMaxRibbonKeys = 950'000'000;

// Returns 1 / rate of RocksDB's Ribbon for a setting of `bits_per_key`: that of
// the Bloom filter with as many bits.
// REQUIRES: 1 <= bits_per_key <= 100
double RocksDbRibbonOneIn(double bits_per_key) noexcept;

// Returns the rows of the equations: a multiple of 128, at least 256.
// REQUIRES: 1 <= keys <= kMaxRibbonKeys
std::uint64_t RocksDbRibbonSlots(std::uint64_t keys) noexcept;

// Returns the number of 16-byte segments of the solution.  The upper half of
// the first key's hash chooses between two sizes that are one block apart.
// REQUIRES: `slots` comes from RocksDbRibbonSlots()
std::uint64_t RocksDbRibbonSegments(std::uint64_t slots, double one_in,
                                    std::uint32_t draw) noexcept;

// How the segments are distributed over the blocks: the first `cut` blocks have
// columns - 1 segments each, all others `columns`.
struct RibbonShape {
  std::uint64_t blocks = 0;  // slots / 128
  std::uint64_t segments = 0;
  std::uint64_t cut = 0;
  unsigned columns = 0;
};
// Segments beyond 32 per block are never used.  REQUIRES: blocks > 0
RibbonShape RibbonShapeFor(std::uint64_t blocks,
                           std::uint64_t segments) noexcept;

// Returns the expected rate of false positives: 2^-columns of each block,
// weighted by the keys that start there.  REQUIRES: shape.blocks > 0
double RibbonRate(const RibbonShape& shape) noexcept;

// Returns true if RocksDB writes FastLocalBloom instead, because a Ribbon is no
// smaller.  (It also does so for more than kMaxRibbonKeys.)
bool RocksDbPrefersBloom(std::uint64_t keys, unsigned millibits,
                         const RibbonShape& shape) noexcept;

}  // namespace tamis
