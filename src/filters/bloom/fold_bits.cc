// SPDX-License-Identifier: Apache-2.0
#include "filters/bloom/fold_bits.h"

#include <algorithm>
#include <bit>

#include "base/coding.h"

namespace tamis {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
constexpr std::uint64_t kWordBits = 64;

// Loads eight bytes from `at` on, or as many as there are.
std::uint64_t LoadUpTo8(std::span<const unsigned char> bytes,
                        std::size_t at) noexcept {
  if (at + kWordBytes <= bytes.size()) return LoadLittle64(bytes.data() + at);
  unsigned char last[kWordBytes] = {};
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), last);
  return LoadLittle64(last);
}

// Returns true if one of `count` bits from `first` on is set.
bool AnyBit(std::span<const unsigned char> bytes, std::uint64_t first,
            std::uint64_t count) noexcept {
  constexpr std::uint64_t kAtOnce = 57;  // at any bit of a byte
  std::uint64_t any = 0;
  while (count > 0) {
    const std::uint64_t some = std::min(count, kAtOnce);
    const std::uint64_t word =
        LoadUpTo8(bytes, static_cast<std::size_t>(first / 8)) >> (first % 8);
    any |= word & ((std::uint64_t{1} << some) - 1);
    first += some;
    count -= some;
  }
  return any != 0;
}

// Returns the unions of the pairs of bits 0 and 1, 2 and 3, ... in the lower
// half.
std::uint64_t UnitePairs(std::uint64_t x) noexcept {
  x = (x | x >> 1) & 0x5555555555555555;
  x = (x | x >> 1) & 0x3333333333333333;
  x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0f;
  x = (x | x >> 4) & 0x00ff00ff00ff00ff;
  x = (x | x >> 8) & 0x0000ffff0000ffff;
  return (x | x >> 16) & 0x00000000ffffffff;
}

std::uint64_t WordsOf(std::uint64_t bits) noexcept {
  return (bits + kWordBits - 1) / kWordBits;
}

// Returns word i of the folded bits; 0 beyond the last.
std::uint64_t FoldedWord(std::span<const unsigned char> from,
                         std::uint64_t bits, std::uint64_t divisor,
                         std::uint64_t i) noexcept {
  if (i >= WordsOf(bits / divisor)) return 0;
  if (divisor == 1) {
    return LoadLittle64(from.data() + i * kWordBytes);
  }
  if (divisor % 2 == 0) {  // first by divisor / 2, and then by 2
    const std::uint64_t lower = FoldedWord(from, bits, divisor / 2, 2 * i);
    const std::uint64_t upper = FoldedWord(from, bits, divisor / 2, 2 * i + 1);
    return UnitePairs(lower) | UnitePairs(upper) << 32;
  }
  const std::uint64_t first = i * kWordBits;
  const std::uint64_t count = std::min(kWordBits, bits / divisor - first);
  std::uint64_t word = 0;
  for (std::uint64_t j = 0; j < count; ++j) {
    const bool set = AnyBit(from, (first + j) * divisor, divisor);
    word |= std::uint64_t{set} << j;
  }
  return word;
}

}  // namespace

void FoldBits(std::span<const unsigned char> from, std::uint64_t bits,
              std::uint64_t divisor, unsigned char* into) noexcept {
  const std::uint64_t words = WordsOf(bits / divisor);
  for (std::uint64_t i = 0; i < words; ++i) {
    StoreLittle(into + i * kWordBytes, FoldedWord(from, bits, divisor, i));
  }
}

std::uint64_t CountFoldedBits(std::span<const unsigned char> from,
                              std::uint64_t bits, std::uint64_t divisor,
                              std::uint64_t most) noexcept {
  const std::uint64_t words = WordsOf(bits / divisor);
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < words && count <= most; ++i) {
    count += static_cast<unsigned>(
        std::popcount(FoldedWord(from, bits, divisor, i)));
  }
  return count;
}

}  // namespace tamis
