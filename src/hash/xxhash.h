// SPDX-License-Identifier: Apache-2.0
// hash/xxhash.h -- XXH32, XXH64 and the final XXH3, from the xxHash library.
//
// Specification: the XXH32 and XXH64 documents of xxHash; for XXH3, the library
// itself from version 0.8.0 on, which fixed its results for every machine.
// RocksDB's preview of XXH3 is another function: Xxph3().

#pragma once

#include <cstdint>

// Compiled into each caller: a call would cost as much as hashing a short key
// does.  The macro is undefined here, so that it affects no other use of
// <xxhash.h>.
#define XXH_INLINE_ALL
#include <xxhash.h>
#undef XXH_INLINE_ALL

#include "tamis/filter.h"

namespace tamis {

// `static`, because files may be compiled for different CPUs: were these
// merged, the linker could give a caller the code of a CPU it does not have.

static inline std::uint32_t Xxh32(Slice data, std::uint32_t seed = 0) noexcept {
  return XXH32(data.data(), data.size(), seed);
}

static inline std::uint64_t Xxh64(Slice data, std::uint64_t seed = 0) noexcept {
  return XXH64(data.data(), data.size(), seed);
}

// XXH3 of 64 bits.  With seed 0 this is XXH3_64bits().
static inline std::uint64_t Xxh3(Slice data, std::uint64_t seed = 0) noexcept {
  return XXH3_64bits_withSeed(data.data(), data.size(), seed);
}

// The same, faster for an eight-byte number: with the length known, little of
// XXH3 is left.
[[gnu::always_inline, gnu::flatten]] static inline std::uint64_t Xxh3Short(
    Slice data, std::uint64_t seed) noexcept {
  if (data.size() == 8) return XXH3_64bits_withSeed(data.data(), 8, seed);
  return Xxh3(data, seed);
}

}  // namespace tamis
