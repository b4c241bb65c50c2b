// SPDX-License-Identifier: Apache-2.0
#include "base/word_bits.h"

#include <bit>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

namespace tamis {
namespace {

// Words with few ones, with many, and with whole bytes of either.
std::uint64_t SomeWord(std::mt19937_64* random) {
  const std::uint64_t a = (*random)();
  switch (a % 5) {
    case 0:
      return (*random)();
    case 1:
      return (*random)() & (*random)() & (*random)();
    case 2:
      return (*random)() | (*random)() | (*random)();
    case 3:
      return ~std::uint64_t{0} << (a >> 8) % 64;
    default:
      return ~std::uint64_t{0} >> (a >> 8) % 64;
  }
}

TEST(WordBits, OnesAreCountedAndFoundAsOneByOne) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t word = i == 0 ? 0 : SomeWord(&random);
    ASSERT_EQ(Ones(word), static_cast<unsigned>(std::popcount(word)));
    const std::uint64_t up_to_each = OnesUpToEachByte(word);
    unsigned rank = 0;
    for (unsigned place = 0; place < 64; ++place) {
      if ((word >> place & 1) == 0) continue;
      ASSERT_EQ(PlaceOfOne(word, up_to_each, rank++), place) << word;
    }
  }
}

TEST(WordBits, BytesBelowAnotherAreCounted) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t word = SomeWord(&random);
    const auto byte = static_cast<std::uint8_t>(
        i % 2 == 0 ? random() : word >> 8 * (random() % 8));
    const std::uint64_t mask = kTopOfEachByte >> 8 * (random() % 8);
    unsigned below = 0;
    for (unsigned at = 0; at < 64; at += 8) {
      if ((mask >> at & 0x80) == 0) continue;
      below += (word >> at & 0xff) < byte ? 1 : 0;
    }
    ASSERT_EQ(BytesBelow(word, byte, mask), below) << word;
  }
}

}  // namespace
}  // namespace tamis
