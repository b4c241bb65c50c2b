// SPDX-License-Identifier: Apache-2.0
// filters/range/bit_windows.h -- searches among bits that are in bytes, from
// any bit on.  8 bytes after the bits must be readable.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/coding.h"
#include "base/word_bits.h"

namespace tamis {

// At least 57 bits, from bit number `at` on.
inline std::uint64_t Window(const char* bits, std::uint64_t at) noexcept {
  return LoadLittle64(bits + at / 8) >> (at % 8);
}
inline constexpr std::uint64_t kWindowBits = 56;
inline constexpr std::uint64_t kWindowMask =
    (std::uint64_t{1} << kWindowBits) - 1;

// The searches below end at a limit even if the bits have changed since they
// were checked: the pages of a file that was cut off since read as zeros.

// Returns the place of the zero number `rank`, counted from 0, among the bits
// from `at` on; `end`, if there are not so many.
inline std::uint64_t SelectZero(const char* bits, std::uint64_t at,
                                std::uint64_t end,
                                std::uint64_t rank) noexcept {
  const char* word = bits + at / 8;
  std::uint64_t skipped = ~std::uint64_t{0} << (at % 8);
  for (at -= at % 8; at < end; at += 64, word += 8) {
    const std::uint64_t zeros = ~LoadLittle64(word) & skipped;
    const std::uint64_t up_to_each = OnesUpToEachByte(zeros);
    const std::uint64_t count = up_to_each >> 56;
    if (rank < count) {
      at += PlaceOfOne(zeros, up_to_each, static_cast<unsigned>(rank));
      return std::min(at, end);
    }
    rank -= count;
    skipped = ~std::uint64_t{0};
  }
  return end;
}

// Returns the place of the first one from `at` on; `end`, if there is none.
inline std::uint64_t NextOne(const char* bits, std::uint64_t at,
                             std::uint64_t end) noexcept {
  for (; at < end; at += kWindowBits) {
    const std::uint64_t window = Window(bits, at) & kWindowMask;
    if (window == 0) continue;
    return std::min(at + static_cast<std::uint64_t>(std::countr_zero(window)),
                    end);
  }
  return end;
}

// Returns the place of the last one before `at`; `begin`, if there is none.
inline std::uint64_t LastOneBefore(const char* bits, std::uint64_t at,
                                   std::uint64_t begin) noexcept {
  while (at > begin) {
    const std::uint64_t from = at - std::min(at - begin, kWindowBits);
    const std::uint64_t window =
        Window(bits, from) & ((std::uint64_t{1} << (at - from)) - 1);
    if (window != 0) {
      return from + static_cast<std::uint64_t>(std::bit_width(window)) - 1;
    }
    at = from;
  }
  return begin;
}

}  // namespace tamis
