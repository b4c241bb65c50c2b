// SPDX-License-Identifier: Apache-2.0
// sort/hash_sort.h -- sorting 64-bit hashes.  They are hashes, so their
// bits tell their place in the order nearly exactly: two passes by their
// bits, both in cache, leave a few neighbours to exchange.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tamis {

// Up to here SortDistinct() needs no scratch.
inline constexpr std::size_t kMaxSortedWithoutScratch = 4096;

// Sorts, and drops duplicates: afterwards the result's number of hashes at
// the front of `hashes` are the different ones, ascending; the rest is
// anything.  The upper `known_bits` bits of all of them must be the same.
// Hashes that are no hashes, and those for which `scratch` is too small (it
// should be as large as `hashes`), are sorted as any numbers are: slower, but
// never worse than n log n.
// REQUIRES: known_bits < 64
std::size_t SortDistinct(std::span<std::uint64_t> hashes,
                         std::span<std::uint64_t> scratch,
                         unsigned known_bits) noexcept;

}  // namespace tamis
