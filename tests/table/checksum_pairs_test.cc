// SPDX-License-Identifier: Apache-2.0
// Places where a block may lie, by its checksum alone.

#include "table/checksum_pairs.h"

#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "table/block_file.h"

namespace tamis {
namespace {

std::string Noise(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    bytes.push_back(static_cast<char>(random()));
  }
  return bytes;
}

bool HasPair(const std::vector<ChecksumPair>& pairs, std::size_t begin,
             std::size_t checksum_at) {
  for (const ChecksumPair& pair : pairs) {
    if (pair.begin == begin && pair.checksum_at == checksum_at) return true;
  }
  return false;
}

TEST(ChecksumPairs, AreFoundWhereverTheyLie) {
  for (const std::size_t before : {0u, 1u, 7u, 4096u}) {
    for (const std::size_t size : {8u, 100u, 5000u}) {
      for (const std::size_t behind : {0u, 3u, 2000u}) {
        std::string block = Noise(size, size);
        AppendBlockTrailer(&block, Compression::kSnappy);
        const std::string bytes = Noise(before, 1) + block + Noise(behind, 2);
        EXPECT_TRUE(
            HasPair(FindChecksumPairs(bytes), before, before + size + 1))
            << before << " " << size << " " << behind;
      }
    }
  }
}

// A block that is not compressed must end like one.
TEST(ChecksumPairs, OfBlocksWithoutRestartsAreNone) {
  std::string block = Noise(100, 3);
  AppendBlockTrailer(&block, Compression::kNone);
  EXPECT_TRUE(FindChecksumPairs(block).empty());
  block = Noise(100, 3) + std::string(4, '\0') + '\x01' + std::string(3, '\0');
  AppendBlockTrailer(&block, Compression::kNone);
  EXPECT_TRUE(HasPair(FindChecksumPairs(block), 0, 109));
}

TEST(ChecksumPairs, AreRareInBytesThatHoldNoBlock) {
  EXPECT_LT(FindChecksumPairs(Noise(100'000, 4)).size(), 10u);
  EXPECT_TRUE(FindChecksumPairs(std::string(100'000, '\0')).empty());
  EXPECT_TRUE(FindChecksumPairs("").empty());
  EXPECT_TRUE(FindChecksumPairs("short").empty());
}

}  // namespace
}  // namespace tamis
