// SPDX-License-Identifier: Apache-2.0
// filters/bloom/fold_bits.h -- folds a Bloom filter of n blocks (or bits) into
// the one of n / d that the same keys would have made.
//
// A key's block is floor(x n) for a fraction x of its hash, and
// floor(floor(x n) / d) = floor(x n / d): so block j of the smaller filter is
// the union of the blocks j d to j d + d - 1 of the larger, bit for bit.  In a
// filter without blocks the same holds for single bits.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tamis {

// REQUIRES, for all below: divisor > 0 divides the number of blocks, or bits.

// Returns the union of `count` consecutive blocks from `first` on.
template <std::size_t kBlockBytes>
void UniteBlocks(const unsigned char* first, std::uint64_t count,
                 unsigned char* into) noexcept {
  constexpr std::size_t kWords = kBlockBytes / sizeof(std::uint64_t);
  std::array<std::uint64_t, kWords> all{};  // in the machine's own byte order
  for (; count > 0; --count, first += kBlockBytes) {
    std::array<std::uint64_t, kWords> block;
    std::memcpy(block.data(), first, kBlockBytes);
    for (std::size_t i = 0; i < kWords; ++i) all[i] |= block[i];
  }
  std::memcpy(into, all.data(), kBlockBytes);
}

// Writes from.size() / divisor bytes.
template <std::size_t kBlockBytes>
void FoldBlocks(std::span<const unsigned char> from, std::uint64_t divisor,
                unsigned char* into) noexcept {
  const std::size_t step = static_cast<std::size_t>(divisor) * kBlockBytes;
  for (std::size_t at = 0; at < from.size(); at += step) {
    UniteBlocks<kBlockBytes>(from.data() + at, divisor, into);
    into += kBlockBytes;
  }
}

// Writes bits / divisor bits, bit p being bit p mod 8 of byte p / 8.
// REQUIRES: `from` is whole 64-bit words, clear beyond `bits`; `into` is large
// enough and all clear
void FoldBits(std::span<const unsigned char> from, std::uint64_t bits,
              std::uint64_t divisor, unsigned char* into) noexcept;

// Returns how many bits FoldBits() would set, or any number above `most` if
// there are more.  REQUIRES: as FoldBits()
std::uint64_t CountFoldedBits(std::span<const unsigned char> from,
                              std::uint64_t bits, std::uint64_t divisor,
                              std::uint64_t most) noexcept;

// Returns the mean of shape.Rate() over the blocks that FoldBlocks() would
// write, or any number above `most` if it is higher.  Shape as in
// filters/bloom/block_shapes.h.
template <typename Shape>
double FoldedRate(const Shape& shape, std::span<const unsigned char> from,
                  std::uint64_t divisor, double most) noexcept {
  const std::uint64_t blocks = from.size() / Shape::kBytes / divisor;
  const double too_much = most * static_cast<double>(blocks);
  double sum = 0;
  for (std::uint64_t i = 0; i < blocks && sum <= too_much; ++i) {
    std::array<unsigned char, Shape::kBytes> block;
    UniteBlocks<Shape::kBytes>(from.data() + i * divisor * Shape::kBytes,
                               divisor, block.data());
    sum += shape.Rate(block.data());
  }
  return sum / static_cast<double>(blocks);
}

}  // namespace tamis
