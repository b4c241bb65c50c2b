// SPDX-License-Identifier: Apache-2.0
#include "filters/bloom/classic_bloom.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "filters/bloom/bit_array.h"
#include "filters/bloom/probe_sequences.h"

namespace tamis {
namespace {

using Bytes = std::vector<unsigned char>;

// Yields the same position again and again: shows where one bit lands.
struct OneBit {
  static std::uint64_t Prepare(std::uint64_t) { return 0; }
  OneBit(std::uint64_t hash, std::uint64_t, std::uint64_t) : position(hash) {}
  std::uint64_t Next() { return position; }
  std::uint64_t position;
};

TEST(ClassicBloom, BitsAreNumberedFromTheLeastSignificant) {
  const ClassicShape shape = MakeClassicShape<OneBit>(128, 1);
  for (unsigned bit : {0u, 7u, 8u, 77u, 127u}) {
    Bytes bytes(16);
    MarkClassic<OneBit>(bytes.data(), shape, std::uint64_t{bit});
    Bytes expected(16);
    expected[bit / 8] = static_cast<unsigned char>(1 << (bit % 8));
    EXPECT_EQ(bytes, expected) << bit;
  }
}

TEST(ClassicBloom, FlippedWordsReverseTheirBytes) {
  const ClassicShape shape = MakeClassicShape<OneBit>(128, 1, 7);
  Bytes bytes(16);
  MarkClassic<OneBit>(bytes.data(), shape, std::uint64_t{0});
  MarkClassic<OneBit>(bytes.data(), shape, std::uint64_t{64 + 9});
  Bytes expected(16);
  expected[7] = 1;
  expected[8 + 6] = 2;
  EXPECT_EQ(bytes, expected);
  EXPECT_TRUE(CheckClassic<OneBit>(bytes.data(), shape, std::uint64_t{64 + 9}));
  EXPECT_FALSE(
      CheckClassic<OneBit>(bytes.data(), shape, std::uint64_t{64 + 8}));
}

TEST(ClassicBloom, ManyMarksEqualTheMarksOneByOne) {
  std::mt19937_64 random(7);
  for (std::size_t keys : {0u, 1u, 7u, 8u, 9u, 1000u}) {
    for (unsigned probes : {1u, 7u, 255u}) {
      std::vector<std::uint64_t> hashes(keys);
      for (std::uint64_t& hash : hashes) hash = random();
      const ClassicShape shape =
          MakeClassicShape<MultiplicativeProbes>(10'007, probes);
      Bytes one_by_one(1251);
      Bytes together(1251);
      for (std::uint64_t hash : hashes) {
        MarkClassic<MultiplicativeProbes>(one_by_one.data(), shape, hash);
      }
      MarkClassicMany<MultiplicativeProbes, std::uint64_t>(together.data(),
                                                           shape, hashes);
      EXPECT_EQ(one_by_one, together);
      for (std::uint64_t hash : hashes) {
        EXPECT_TRUE(
            CheckClassic<MultiplicativeProbes>(together.data(), shape, hash));
      }
    }
  }
}

TEST(BitArray, CountsAtEveryLengthAndAlignment) {
  Bytes bytes(64, 0xff);
  for (std::size_t start = 0; start < 9; ++start) {
    for (std::size_t size = 0; start + size <= 40; ++size) {
      EXPECT_EQ(CountSetBits(std::span(bytes).subspan(start, size)), 8 * size);
    }
  }
  bytes.assign(20, 0);
  bytes[19] = 0x81;
  EXPECT_EQ(CountSetBits(bytes), 2u);
}

TEST(BitArray, CombinesBytewise) {
  Bytes a = {0x0f, 0xf0, 0xaa};
  const Bytes b = {0x3c, 0x3c, 0x55};
  OrInto(a, b);
  EXPECT_EQ(a, (Bytes{0x3f, 0xfc, 0xff}));
  AndInto(a, b);
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace tamis
