// SPDX-License-Identifier: Apache-2.0
// filters/fuse/binary_fuse.h -- binary fuse filters: three or four cells per
// key, whose sum (exclusive or) is the key's fingerprint.  The cells of an
// absent key sum up to its fingerprint only by chance, with probability 2^-bits
// for cells of so many bits.
//
// After Graf and Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor
// Filters" (2022): a key's cells are in consecutive segments of the array, one
// in each, which makes nearly full arrays solvable.  Here the first cell
// follows the order of the positions, so that sorted keys fill the array from
// one end to the other, and the segments start right after it, so that an array
// can have any size; see docs/design/6-fuse.md.
//
// A position represents a key: 64 uniformly distributed bits.

#pragma once

#include <array>
#include <concepts>
#include <cstdint>

#include "base/coding.h"
#include "base/wide_math.h"
#include "hash/splitmix64.h"
#include "math/fuse_sizing.h"

namespace tamis {

// Where a key's cells are, and what they sum up to.
template <unsigned kArity>
struct FuseProbe {
  std::array<std::uint64_t, kArity> slots;
  std::uint64_t mixed;  // its lower bits are the fingerprint
};

// Returns slots that ascend, and are below FuseCells(shape, kArity).
// REQUIRES: shape.segment_bits <= kMaxFuseSegmentBits
template <unsigned kArity>
inline FuseProbe<kArity> FuseProbeFor(std::uint64_t position,
                                      const FuseShape& shape,
                                      std::uint64_t seed) noexcept {
  const std::uint64_t length = std::uint64_t{1} << shape.segment_bits;
  FuseProbe<kArity> probe;
  probe.mixed = SplitMix64(position ^ seed);
  probe.slots[0] = MultiplyHigh(position, shape.starts);
  for (unsigned i = 1; i < kArity; ++i) {
    const std::uint64_t within =
        (probe.mixed >> (64 - i * kMaxFuseSegmentBits)) & (length - 1);
    probe.slots[i] = probe.slots[0] + 1 + (i - 1) * length + within;
  }
  return probe;
}

// Returns 0 if the cells of the probe sum up to its fingerprint.  Cells are
// little-endian, at any address.
template <std::unsigned_integral Cell, unsigned kArity>
inline Cell FuseDifference(const unsigned char* cells,
                           const FuseProbe<kArity>& probe) noexcept {
  Cell sum = static_cast<Cell>(probe.mixed);
  for (const std::uint64_t slot : probe.slots) {
    sum ^= LoadLittle<Cell>(cells + slot * sizeof(Cell));
  }
  return sum;
}

}  // namespace tamis
