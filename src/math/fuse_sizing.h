// SPDX-License-Identifier: Apache-2.0
// math/fuse_sizing.h -- the size of a binary fuse filter: from a number of keys
// to parts, and from the keys of a part to its cells.
//
// Pure functions of integers: every machine gets the same sizes, and so the
// same bytes.

#pragma once

#include <cstdint>

namespace tamis {

// A cell's place within its segment takes 16 bits of a mixed position.
inline constexpr unsigned kMaxFuseSegmentBits = 16;

// One array of cells.
struct FuseShape {
  unsigned segment_bits = 0;  // a segment has 2^segment_bits cells
  std::uint32_t starts = 1;   // cells that can be a key's first; at least one

  bool operator==(const FuseShape&) const = default;
};

// Returns the cells that can be a key's first, plus the segments after the last
// one.
constexpr std::uint64_t FuseCells(const FuseShape& shape,
                                  unsigned arity) noexcept {
  return shape.starts + (std::uint64_t{arity} - 1) * (1u << shape.segment_bits);
}

// A part is small enough to be solved in some 50 MB, and so large that more
// keys would hardly make it denser.
inline constexpr std::uint64_t kMaxFusePartKeys = 1 << 21;

// Returns the number of parts for that many keys, each with at most `part_keys`
// on average; 0 for no keys.
constexpr std::uint64_t FuseParts(
    std::uint64_t keys, std::uint64_t part_keys = kMaxFusePartKeys) noexcept {
  return keys / part_keys + (keys % part_keys != 0 ? 1 : 0);
}

// Returns the shape in which nearly every set of so many keys can be solved
// with the first seed.  REQUIRES: keys < 2^22; arity is 3 or 4
FuseShape FuseShapeFor(std::uint64_t keys, unsigned arity) noexcept;

// Returns the planned shape of each part.  Parts that get somewhat more keys
// than the mean can be solved, too.
// REQUIRES: parts > 0, of FuseParts()
FuseShape FusePartShape(std::uint64_t keys, std::uint64_t parts,
                        unsigned arity) noexcept;

// For keys that cannot be solved: a few percent more cells for each step.
FuseShape EnlargedFuseShape(const FuseShape& shape, unsigned arity,
                            unsigned steps) noexcept;

// Returns the expected rate of false positives: 2^-cell_bits, for any number of
// keys.
double FuseRate(unsigned cell_bits) noexcept;

}  // namespace tamis
