// SPDX-License-Identifier: Apache-2.0
// math/blocked_bloom.h -- error rates and sizes of Bloom filters whose keys
// keep to one block each: lines of 512 bits, and split blocks of 256.
//
// A block gets more or fewer keys by chance, and the crowded ones cost more
// than the empty ones save; so such a filter errs somewhat more often than the
// textbook's of the same size, and is at its best with fewer probes.

#pragma once

#include <cstdint>

namespace tamis {

enum class BlockKind {
  kLine,   // 512 bits, probes anywhere in them (filters/bloom/line_bloom.h)
  kSplit,  // 256 bits in eight words, one probe in each
           // (filters/bloom/split_block.h)
};

struct BlockedShape {
  BlockKind kind = BlockKind::kLine;
  std::uint64_t blocks = 1;
  unsigned probes = 1;  // split blocks: always 8
};

// Expected rate of false positives with n keys in it: exact but for the
// spread of the fill within a line, which is there to second order.
double BlockedRate(const BlockedShape& shape, std::uint64_t keys) noexcept;

// How many keys explain that many set bits.  REQUIRES: set_bits <= all bits
double BlockedKeysFromFill(const BlockedShape& shape,
                           std::uint64_t set_bits) noexcept;

// The number of probes with which lines err least, at that many bits per key.
unsigned BestLineProbes(double bits_per_key) noexcept;

// Bits per key at which many keys in lines, or in split blocks, err at that
// rate; 0 where no size is enough (a line has at most 32 probes).
// REQUIRES: 0 < rate < 1
double LineBitsPerKey(double rate) noexcept;
double SplitBlockBitsPerKey(double rate) noexcept;

}  // namespace tamis
