// SPDX-License-Identifier: Apache-2.0
#include "sort/hash_counts.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace tamis {
namespace {

// With hashes that begin their search at few places, and at the last ones, so
// that runs are long and wrap around.
TEST(HashCounts, CountsAsAMapDoes) {
  for (const std::uint64_t mask :
       {~std::uint64_t{0}, std::uint64_t{0xff00000000000007},
        std::uint64_t{0x1ff0000}}) {
    std::mt19937_64 random(mask);
    HashCounts counts;
    std::map<std::uint64_t, std::uint32_t> model;
    EXPECT_EQ(counts.CountOf(0), 0u);
    EXPECT_FALSE(counts.Take(0));
    for (unsigned step = 0; step < 30'000; ++step) {
      const std::uint64_t hash = mask == ~std::uint64_t{0}
                                     ? random() % 3000 * 0x9e3779b97f4a7c15
                                     : (random() | ~mask) - 3;
      const bool adds = random() % 1000 < (step < 15'000 ? 600 : 400);
      if (adds) {
        ASSERT_TRUE(counts.Add(hash));
        ++model[hash];
      } else {
        ASSERT_EQ(counts.Take(hash), model[hash] > 0);
        if (model[hash] > 0) --model[hash];
      }
      ASSERT_EQ(counts.CountOf(hash), model[hash]);
    }
    for (const auto& [hash, count] : model) {
      ASSERT_EQ(counts.CountOf(hash), count);
    }
  }
}

}  // namespace
}  // namespace tamis
