// SPDX-License-Identifier: Apache-2.0
#include "filters/bloom/bit_array.h"

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstring>

namespace tamis {

std::uint64_t CountSetBits(std::span<const unsigned char> bytes) noexcept {
  std::uint64_t count = 0;
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= bytes.size();
       i += sizeof(std::uint64_t)) {
    std::uint64_t word;  // in any byte order: bits are only counted
    std::memcpy(&word, bytes.data() + i, sizeof(word));
    count += static_cast<unsigned>(std::popcount(word));
  }
  for (; i < bytes.size(); ++i) {
    count += static_cast<unsigned>(std::popcount(bytes[i]));
  }
  return count;
}

void OrInto(std::span<unsigned char> into,
            std::span<const unsigned char> from) noexcept {
  assert(into.size() == from.size());
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] = static_cast<unsigned char>(into[i] | from[i]);
  }
}

void AndInto(std::span<unsigned char> into,
             std::span<const unsigned char> from) noexcept {
  assert(into.size() == from.size());
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] = static_cast<unsigned char>(into[i] & from[i]);
  }
}

}  // namespace tamis
