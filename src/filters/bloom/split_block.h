// SPDX-License-Identifier: Apache-2.0
// filters/bloom/split_block.h -- the split-block Bloom filter: a block of 32
// bytes is eight words, and a key sets one bit in each of them.
//
// (As Apache Parquet defines it; the idea goes back to Putze, Sanders and
// Singler, 2007.)  A key is a block and 32 more bits of its hash.  Word i, 32
// bits in little-endian order, has bit (bits * salt[i] mod 2^32) >> 27.
//
// These functions are the definition; kernels.h has faster versions for many
// keys at once.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/coding.h"

namespace tamis {

inline constexpr std::size_t kSplitBlockBytes = 32;
inline constexpr std::uint64_t kSplitBlockBits = 256;
inline constexpr unsigned kSplitBlockWords = 8;

// Parquet's constants.
inline constexpr std::array<std::uint32_t, kSplitBlockWords> kSplitBlockSalts =
    {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
     0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

constexpr std::uint32_t SplitBlockMask(std::uint32_t bits,
                                       unsigned word) noexcept {
  constexpr unsigned kShift = 32 - 5;  // a word has 2^5 bits
  return std::uint32_t{1} << ((bits * kSplitBlockSalts[word]) >> kShift);
}

// REQUIRES, for both: kSplitBlockBytes bytes at `block`, of any alignment

inline void MarkSplitBlock(unsigned char* block, std::uint32_t bits) noexcept {
  for (unsigned i = 0; i < kSplitBlockWords; ++i) {
    unsigned char* at = block + sizeof(std::uint32_t) * i;
    StoreLittle(at, LoadLittle32(at) | SplitBlockMask(bits, i));
  }
}

inline bool CheckSplitBlock(const unsigned char* block,
                            std::uint32_t bits) noexcept {
  std::uint32_t missing = 0;
  for (unsigned i = 0; i < kSplitBlockWords; ++i) {
    missing |= SplitBlockMask(bits, i) &
               ~LoadLittle32(block + sizeof(std::uint32_t) * i);
  }
  return missing == 0;
}

}  // namespace tamis
