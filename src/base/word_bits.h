// SPDX-License-Identifier: Apache-2.0
// base/word_bits.h -- counts within a word, without instructions that not every
// CPU has: std::popcount() is then a call.

#pragma once

#include <cstdint>

namespace tamis {

inline constexpr std::uint64_t kEachByte = 0x0101010101010101;
inline constexpr std::uint64_t kTopOfEachByte = 0x8080808080808080;

// Returns in each byte the ones of that byte and of those below it.
constexpr std::uint64_t OnesUpToEachByte(std::uint64_t word) noexcept {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return word * kEachByte;
}

constexpr unsigned Ones(std::uint64_t word) noexcept {
  return static_cast<unsigned>(OnesUpToEachByte(word) >> 56);
}

// Returns the place of the one number `rank`, counted from 0.  `up_to_each` is
// OnesUpToEachByte(word).  REQUIRES: there are more ones than that
constexpr unsigned PlaceOfOne(std::uint64_t word, std::uint64_t up_to_each,
                              unsigned rank) noexcept {
  // Bytes that have not enough ones, each as the top bit of a byte.
  const std::uint64_t before =
      (((rank * kEachByte) | kTopOfEachByte) - up_to_each) & kTopOfEachByte;
  const auto place =
      static_cast<unsigned>(((before >> 7) * kEachByte) >> 56) * 8;
  const auto passed = static_cast<unsigned>(up_to_each << 8 >> place & 0xff);
  // The same within the byte, with each of its bits in a byte.
  const std::uint64_t spread =
      ((word >> place & 0xff) * kEachByte) & 0x8040201008040201;
  const std::uint64_t bits = (spread + 0x7f7f7f7f7f7f7f7f) >> 7 & kEachByte;
  const std::uint64_t counts = bits * kEachByte;
  const std::uint64_t low =
      ((((rank - passed) * kEachByte) | kTopOfEachByte) - counts) &
      kTopOfEachByte;
  return place + static_cast<unsigned>(((low >> 7) * kEachByte) >> 56);
}

// Returns how many of the 8 bytes of `bytes` are less than `byte`; `mask` has
// the top bit of each byte that counts.
constexpr unsigned BytesBelow(std::uint64_t bytes, std::uint8_t byte,
                              std::uint64_t mask) noexcept {
  const std::uint64_t limit = byte * kEachByte;
  // The low 7 bits of each are compared by a subtraction without borrows.
  const std::uint64_t at_least =
      (bytes | kTopOfEachByte) - (limit & ~kTopOfEachByte);
  const std::uint64_t below =
      ((~bytes & limit) | (~(bytes ^ limit) & ~at_least)) & mask;
  return static_cast<unsigned>(((below >> 7) * kEachByte) >> 56);
}

}  // namespace tamis
