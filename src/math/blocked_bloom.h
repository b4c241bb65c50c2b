// SPDX-License-Identifier: Apache-2.0
// math/blocked_bloom.h -- error rates and sizes of Bloom filters whose keys are
// confined to one block each: lines of 512 bits, and split blocks of 256.
//
// The number of keys varies from block to block, and full blocks cost more than
// sparse ones save; so such a filter has a somewhat higher rate than the
// textbook filter of the same size, and fewer probes are best.

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

// Returns the expected rate of false positives with n keys: exact, except that
// the variance of the fill within a line is approximated to second order.
double BlockedRate(const BlockedShape& shape, std::uint64_t keys) noexcept;

// Estimates the number of keys from the set bits.  REQUIRES: set_bits <= all
// bits
double BlockedKeysFromFill(const BlockedShape& shape,
                           std::uint64_t set_bits) noexcept;

// Returns the number of probes with the lowest rate, at that many bits per key.
unsigned BestLineProbes(double bits_per_key) noexcept;

// Returns the bits per key with which many keys in lines, or in split blocks,
// have that rate; 0 if no size suffices (a line has at most 32 probes).
// REQUIRES: 0 < rate < 1
double LineBitsPerKey(double rate) noexcept;
double SplitBlockBitsPerKey(double rate) noexcept;

}  // namespace tamis
