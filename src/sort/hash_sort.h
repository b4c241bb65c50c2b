// SPDX-License-Identifier: Apache-2.0
// sort/hash_sort.h -- sorts 64-bit hashes.  Because hashes are evenly
// distributed, their upper bits determine their position almost exactly: two
// passes by bits, both in cache, leave a few neighbours to exchange.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tamis {

// Up to this size SortDistinct() needs no scratch memory.
inline constexpr std::size_t kMaxSortedWithoutScratch = 4096;

// Sorts, drops duplicates, and returns the number of distinct hashes, which are
// then at the front of `hashes`, ascending; the rest is undefined.  The upper
// `known_bits` bits of all hashes must be the same.  Numbers that are not
// evenly distributed, and those for which `scratch` is too small (it should be
// as large as `hashes`), are sorted by comparison: slower, but in O(n log n).
// REQUIRES: known_bits < 64
std::size_t SortDistinct(std::span<std::uint64_t> hashes,
                         std::span<std::uint64_t> scratch,
                         unsigned known_bits) noexcept;

}  // namespace tamis
