// sort/hash_sort.h -- sorting 64-bit digests.  They are hashes, so their
// bits tell their place in the order nearly exactly: two passes by their
// bits, both in cache, leave a few neighbours to exchange.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tamis {

// Up to here SortDistinct() needs no scratch.
inline constexpr std::size_t kMostSortedWithoutScratch = 4096;

// Sorts, and drops duplicates: afterwards the result's number of digests at
// the front of `digests` are the different ones, ascending; the rest is
// anything.  The upper `known_bits` bits of all of them must be the same.
// Digests that are no hashes, and those for which `scratch` is too small (it
// should be as large as `digests`), are sorted as any numbers are: slower, but
// never worse than n log n.
// REQUIRES: known_bits < 64
std::size_t SortDistinct(std::span<std::uint64_t> digests,
                         std::span<std::uint64_t> scratch,
                         unsigned known_bits) noexcept;

}  // namespace tamis
