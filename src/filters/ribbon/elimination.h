// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/elimination.h -- the inner loop of Gaussian elimination: keys
// walk from row to row until they find a free one.

#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/wide_math.h"
#include "filters/kernels/kernels.h"

namespace tamis {

// REQUIRES: word != 0
inline std::size_t TrailingZeros(std::uint64_t word) noexcept {
  return static_cast<unsigned>(__builtin_ctzll(word));
}
inline std::size_t TrailingZeros(Uint128 word) noexcept {
  const auto low = static_cast<std::uint64_t>(word);
  return low != 0 ? TrailingZeros(low)
                  : 64 + TrailingZeros(static_cast<std::uint64_t>(word >> 64));
}

__extension__ using Int128 = __int128;
template <typename Word>
using SignedWord = std::conditional_t<sizeof(Word) == 8, std::int64_t, Int128>;

// Eliminates the key's first coefficient.  False: the row is free, or no
// coefficient is left.  The fingerprint of a row is `values` words after it.
template <typename Word>
bool Step(WalkingKey<Word>* key, std::size_t values) noexcept {
  constexpr unsigned kBits = 8 * sizeof(Word);
  const Word sum = key->coefficients ^ *key->row;
  // First coefficients are 1 unless a row is free: so that of the sum is 0, and
  // rotated to the top it makes a positive number, except in the two cases that
  // end the walk.  This takes one branch less than testing for each.
  const Word turned =
      static_cast<Word>(sum >> 1) | static_cast<Word>(sum << (kBits - 1));
  if (static_cast<SignedWord<Word>>(turned) <= 0) [[unlikely]] {
    return false;
  }
  key->value ^= static_cast<std::uint64_t>(key->row[values]);
  const std::size_t zeros = TrailingZeros(turned);
  key->coefficients = turned >> zeros;
  key->row += zeros + 1;
  return true;
}

// Takes the next key of the queue.  REQUIRES: one is waiting
template <typename Word>
void TakeNext(WalkingKey<Word>* key) noexcept {
  QueuedKey<Word>* const next = --key->self;
  key->coefficients = next->coefficients;
  key->value = next->value;
  key->row = next->row;
}

// After a key's last step, assigns the row to it if that is free.
template <typename Word>
bool GetRow(const WalkingKey<Word>& key, std::size_t values) noexcept {
  if (*key.row != 0) return false;
  *key.row = key.coefficients;
  key.row[values] = static_cast<Word>(key.value);
  key.self->owned = key.row;
  return true;
}

// Makes a step, or takes the next key after the last step.  False: the key is
// stuck and not settled, or no other is waiting.
template <typename Word>
bool Walk(WalkingKey<Word>* key, std::size_t values) noexcept {
  if (Step(key, values)) return true;
  if (key->self == key->queue || !GetRow(*key, values)) return false;
  TakeNext(key);
  return true;
}

// Makes a step for the current key of each of kWalkers queues, in turn, until
// one cannot Walk(); returns which.  Each step of a key depends on the one
// before, so interleaving keeps the processor busy.
template <typename Word>
std::size_t WalkTogether(WalkingKey<Word>* keys, std::size_t values) noexcept {
  static_assert(kWalkers == 4);
  WalkingKey<Word> a = keys[0];
  WalkingKey<Word> b = keys[1];
  WalkingKey<Word> c = keys[2];
  WalkingKey<Word> d = keys[3];
  std::size_t stopped = 0;
  while (true) {
    stopped = 0;
    if (!Walk(&a, values)) break;
    stopped = 1;
    if (!Walk(&b, values)) break;
    stopped = 2;
    if (!Walk(&c, values)) break;
    stopped = 3;
    if (!Walk(&d, values)) break;
  }
  keys[0] = a;
  keys[1] = b;
  keys[2] = c;
  keys[3] = d;
  return stopped;
}

}  // namespace tamis
