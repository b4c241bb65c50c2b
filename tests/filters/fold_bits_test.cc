// SPDX-License-Identifier: Apache-2.0
#include "filters/bloom/fold_bits.h"

#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "filters/bloom/block_shapes.h"

namespace tamis {
namespace {

using Bytes = std::vector<unsigned char>;

bool BitAt(const Bytes& bytes, std::uint64_t p) {
  return (bytes[p / 8] >> (p % 8) & 1) != 0;
}

// Whole words, with about one in `sparse` of the first `bits` bits set.
Bytes RandomBits(std::uint64_t bits, unsigned sparse, std::mt19937_64* random) {
  Bytes bytes((bits + 63) / 64 * 8);
  for (std::uint64_t p = 0; p < bits; ++p) {
    if ((*random)() % sparse != 0) continue;
    bytes[p / 8] = static_cast<unsigned char>(bytes[p / 8] | 1u << (p % 8));
  }
  return bytes;
}

TEST(FoldBits, EveryBitIsTheUnionOfItsNeighbours) {
  std::mt19937_64 random(1);
  for (std::uint64_t divisor : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 31u, 56u, 57u, 58u,
                                64u, 65u, 113u, 114u, 115u, 1000u}) {
    for (std::uint64_t folded :
         {1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 100u, 128u, 129u}) {
      const std::uint64_t bits = folded * divisor;
      const Bytes from =
          RandomBits(bits, static_cast<unsigned>(divisor + 2), &random);
      Bytes expected((folded + 63) / 64 * 8);
      std::uint64_t set = 0;
      for (std::uint64_t j = 0; j < folded; ++j) {
        bool any = false;
        for (std::uint64_t p = j * divisor; p < (j + 1) * divisor; ++p) {
          any |= BitAt(from, p);
        }
        if (!any) continue;
        ++set;
        expected[j / 8] =
            static_cast<unsigned char>(expected[j / 8] | 1u << (j % 8));
      }
      Bytes into(expected.size());
      FoldBits(from, bits, divisor, into.data());
      ASSERT_EQ(into, expected) << bits << " / " << divisor;
      ASSERT_EQ(CountFoldedBits(from, bits, divisor, bits), set);
      if (set > 0) {
        ASSERT_GT(CountFoldedBits(from, bits, divisor, set - 1), set - 1);
      }
    }
  }
}

template <std::size_t kBlockBytes>
void CheckBlocks(std::uint64_t divisor, std::mt19937_64* random) {
  const Bytes from = RandomBits(kBlockBytes * 8 * 24, 20, random);
  Bytes into(from.size() / divisor);
  FoldBlocks<kBlockBytes>(from, divisor, into.data());
  for (std::size_t at = 0; at < into.size(); ++at) {
    unsigned any = 0;
    for (std::uint64_t i = 0; i < divisor; ++i) {
      any |= from[(at / kBlockBytes * divisor + i) * kBlockBytes +
                  at % kBlockBytes];
    }
    ASSERT_EQ(into[at], any) << divisor;
  }
}

TEST(FoldBits, EveryBlockIsTheUnionOfItsNeighbours) {
  std::mt19937_64 random(2);
  for (std::uint64_t divisor : {1u, 2u, 3u, 12u, 24u}) {
    CheckBlocks<32>(divisor, &random);
    CheckBlocks<64>(divisor, &random);
  }
}

TEST(FoldBits, TheRateIsThatOfTheFoldedBlocks) {
  std::mt19937_64 random(3);
  const SplitBlockShape shape;
  const Bytes from = RandomBits(256 * 60, 6, &random);
  for (std::uint64_t divisor : {1u, 2u, 5u, 60u}) {
    Bytes into(from.size() / divisor);
    FoldBlocks<32>(from, divisor, into.data());
    double rate = 0;
    for (std::size_t at = 0; at < into.size(); at += 32) {
      rate +=
          shape.Rate(into.data() + at) * 32 / static_cast<double>(into.size());
    }
    EXPECT_NEAR(FoldedRate(shape, from, divisor, 1.0), rate, 1e-12);
    // Once it is sure to be more, it says so and goes no further.
    EXPECT_GT(FoldedRate(shape, from, divisor, rate * 0.5), rate * 0.5);
    EXPECT_LE(FoldedRate(shape, from, divisor, rate * 0.5), rate);
  }
}

}  // namespace
}  // namespace tamis
