#include "sort/hash_sort.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

using Digests = std::vector<std::uint64_t>;

Digests Sorted(Digests digests) {
  std::sort(digests.begin(), digests.end());
  digests.erase(std::unique(digests.begin(), digests.end()), digests.end());
  return digests;
}

Digests SortedByUs(Digests digests, std::size_t scratch_size,
                   unsigned known_bits) {
  Digests scratch(scratch_size);
  digests.resize(SortDistinct(digests, scratch, known_bits));
  return digests;
}

Digests Random(std::size_t count, unsigned known_bits, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Digests digests(count);
  for (std::uint64_t& digest : digests) digest = random() >> known_bits;
  return digests;
}

TEST(DigestSort, SortsEveryNumberOfHashes) {
  for (unsigned count : {0u, 1u, 2u, 3u, 31u, 100u, 4095u, 4096u, 4097u, 8192u,
                         60'000u, 300'000u}) {
    for (unsigned known_bits : {0u, 1u, 8u, 40u, 60u, 63u}) {
      const Digests digests = Random(count, known_bits, count);
      EXPECT_EQ(SortedByUs(digests, count, known_bits), Sorted(digests))
          << count << " " << known_bits;
    }
  }
}

TEST(DigestSort, SortsWithoutScratchToo) {
  const Digests digests = Random(100'000, 8, 1);
  EXPECT_EQ(SortedByUs(digests, 0, 8), Sorted(digests));
  EXPECT_EQ(SortedByUs(digests, digests.size() - 1, 8), Sorted(digests));
}

TEST(DigestSort, SortsMoreThanTwoPassesCanSeparate) {
  // Evenly spread in the first pass, then groups that are too large.
  std::mt19937_64 random(1);
  Digests digests(200'000);
  for (std::uint64_t& digest : digests) {
    digest = (random() % 8) << 61 | random() % 100'000;
  }
  EXPECT_EQ(SortedByUs(digests, digests.size(), 0), Sorted(digests));
}

TEST(DigestSort, SortsWhatNoHashWouldGive) {
  constexpr std::size_t kCount = 300'000;
  Digests ascending(kCount);
  Digests descending(kCount);
  Digests few(kCount);
  Digests in_runs(kCount);
  Digests one_bit(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    ascending[i] = i;
    descending[i] = ~std::uint64_t{i} << 7;
    few[i] = std::uint64_t{i % 3} << 62;
    in_runs[i] = (i / 1000) * 0x9E3779B97F4A7C15u;
    one_bit[i] = std::uint64_t{1} << (i % 64);
  }
  for (const Digests& digests :
       {ascending, descending, few, in_runs, one_bit, Digests(kCount, 0),
        Digests(kCount, ~std::uint64_t{0}), Digests(4000, 7)}) {
    EXPECT_EQ(SortedByUs(digests, digests.size(), 0), Sorted(digests));
  }
}

}  // namespace
}  // namespace tamis
