// SPDX-License-Identifier: Apache-2.0
#include "sort/hash_sort.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace tamis {
namespace {

using testing::Hashes;
using testing::RandomHashes;
using testing::Sorted;

Hashes SortedByUs(Hashes hashes, std::size_t scratch_size,
                  unsigned known_bits) {
  Hashes scratch(scratch_size);
  hashes.resize(SortDistinct(hashes, scratch, known_bits));
  return hashes;
}

Hashes WithKnownBits(std::size_t count, unsigned known_bits,
                     std::uint64_t seed) {
  Hashes hashes = RandomHashes(count, seed);
  for (std::uint64_t& hash : hashes) hash >>= known_bits;
  return hashes;
}

TEST(HashSort, SortsEveryNumberOfHashes) {
  for (unsigned count : {0u, 1u, 2u, 3u, 31u, 100u, 4095u, 4096u, 4097u, 8192u,
                         60'000u, 300'000u}) {
    for (unsigned known_bits : {0u, 1u, 8u, 40u, 60u, 63u}) {
      const Hashes hashes = WithKnownBits(count, known_bits, count);
      EXPECT_EQ(SortedByUs(hashes, count, known_bits), Sorted(hashes))
          << count << " " << known_bits;
    }
  }
}

TEST(HashSort, SortsWithoutScratchToo) {
  const Hashes hashes = WithKnownBits(100'000, 8, 1);
  EXPECT_EQ(SortedByUs(hashes, 0, 8), Sorted(hashes));
  EXPECT_EQ(SortedByUs(hashes, hashes.size() - 1, 8), Sorted(hashes));
}

TEST(HashSort, SortsMoreThanTwoPassesCanSeparate) {
  // Evenly spread in the first pass, then groups that are too large.
  std::mt19937_64 random(1);
  Hashes hashes(200'000);
  for (std::uint64_t& hash : hashes) {
    hash = (random() % 8) << 61 | random() % 100'000;
  }
  EXPECT_EQ(SortedByUs(hashes, hashes.size(), 0), Sorted(hashes));
}

TEST(HashSort, SortsWhatNoHashWouldGive) {
  constexpr std::size_t kCount = 300'000;
  Hashes ascending(kCount);
  Hashes descending(kCount);
  Hashes few(kCount);
  Hashes in_runs(kCount);
  Hashes one_bit(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    ascending[i] = i;
    descending[i] = ~std::uint64_t{i} << 7;
    few[i] = std::uint64_t{i % 3} << 62;
    in_runs[i] = (i / 1000) * 0x9E3779B97F4A7C15u;
    one_bit[i] = std::uint64_t{1} << (i % 64);
  }
  for (const Hashes& hashes :
       {ascending, descending, few, in_runs, one_bit, Hashes(kCount, 0),
        Hashes(kCount, ~std::uint64_t{0}), Hashes(4000, 7)}) {
    EXPECT_EQ(SortedByUs(hashes, hashes.size(), 0), Sorted(hashes));
  }
}

}  // namespace
}  // namespace tamis
