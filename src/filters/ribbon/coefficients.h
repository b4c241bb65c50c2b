// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/coefficients.h -- derives a key's coefficients and fingerprint
// in a bumped ribbon filter from its hash.  (Where it starts is
// BumpedLayer::PlaceOf().)

#pragma once

#include <cstdint>

#include "base/wide_math.h"
#include "hash/splitmix64.h"

namespace tamis {

// A key's row of coefficients: bit i for row i of its window, the first of
// which is always selected.  Word is std::uint64_t or Uint128.
template <typename Word>
struct BumpedKey {
  Word coefficients;
  std::uint32_t fingerprint;
};

template <typename Word>
constexpr BumpedKey<Word> BumpedKeyOf(std::uint64_t hash) noexcept {
  // Places come from the upper bits, so keys in the same place differ in the
  // lower: these are spread everywhere, by odd numbers without a pattern.
  std::uint64_t mixed = hash * 0x9e3779b97f4a7c15;
  mixed ^= mixed >> 32;
  Word coefficients = (mixed * 0xd6e8feb86659fd93) | 1;
  if constexpr (sizeof(Word) > sizeof(std::uint64_t)) {
    const std::uint64_t upper = (mixed ^ mixed >> 29) * 0xa0761d6478bd642f;
    coefficients |= static_cast<Word>(upper) << 64;
  }
  return {coefficients,
          static_cast<std::uint32_t>((mixed * 0xff51afd7ed558ccd) >> 32)};
}

// Returns 1 if an odd number of bits is set.  (Not by counting them: not every
// supported processor has an instruction for that.)
inline unsigned Parity(std::uint64_t word) noexcept {
  return static_cast<unsigned>(__builtin_parityll(word));
}
inline unsigned Parity(Uint128 word) noexcept {
  return Parity(static_cast<std::uint64_t>(word) ^
                static_cast<std::uint64_t>(word >> 64));
}

// Returns the hash that a bumped key has in the next layer.  A bijection:
// different hashes stay different.
constexpr std::uint64_t NextLayerHash(std::uint64_t hash) noexcept {
  return SplitMix64(hash);
}

}  // namespace tamis
