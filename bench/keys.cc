// SPDX-License-Identifier: Apache-2.0
#include "bench/keys.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/wide_math.h"
#include "hash/splitmix64.h"

namespace tamis::bench {

KeyChunk::KeyChunk(std::size_t most_keys, std::size_t key_bytes)
    : key_bytes_(key_bytes),
      bytes_(most_keys * key_bytes, '\0'),
      numbers_(most_keys) {
  slices_.reserve(most_keys);
  for (std::size_t i = 0; i < most_keys; ++i) {
    slices_.emplace_back(bytes_.data() + i * key_bytes, key_bytes);
  }
}

void KeyChunk::FillFrom(std::uint64_t first, std::size_t count) {
  count_ = count;
  std::iota(numbers_.begin(),
            numbers_.begin() + static_cast<std::ptrdiff_t>(count), first);
  Write();
}

void KeyChunk::FillBelow(std::uint64_t end, std::uint64_t first_draw,
                         std::size_t count) {
  count_ = count;
  for (std::size_t i = 0; i < count; ++i) {
    numbers_[i] = MultiplyHigh(SplitMix64(first_draw + i), end);
  }
  Write();
}

void KeyChunk::Write() {
  char* to = bytes_.data();
  for (std::size_t i = 0; i < count_; ++i) {
    std::uint64_t word = SplitMix64(numbers_[i]);  // a bijection: all distinct
    std::size_t left = key_bytes_;
    for (; left >= sizeof(word); left -= sizeof(word)) {
      std::memcpy(to, &word, sizeof(word));
      to += sizeof(word);
      word = SplitMix64(word);
    }
    std::memcpy(to, &word, left);
    to += left;
  }
}

}  // namespace tamis::bench
