// SPDX-License-Identifier: Apache-2.0
#include "math/fast_range.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace tamis {
namespace {

constexpr std::uint64_t kLastHash = ~std::uint64_t{0};

TEST(FastRange, SpansAllPartsFromTheFirstHashToTheLast) {
  for (const std::uint64_t parts :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
        std::uint64_t{1000}, std::uint64_t{1} << 32, kLastHash}) {
    EXPECT_EQ(FastRange(0, parts), 0u);
    EXPECT_EQ(FastRange(kLastHash, parts), parts - 1);
  }
}

TEST(FastRange, FirstHashOfIsTheLeastHashOfItsPart) {
  constexpr std::uint64_t kBillion = std::uint64_t{1} << 30;
  for (const std::uint64_t parts :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{7},
        std::uint64_t{64}, kBillion - 1, kBillion, kBillion + 1,
        (std::uint64_t{1} << 62) + 1}) {
    EXPECT_EQ(FirstHashOf(0, parts), 0u);
    for (const std::uint64_t part :
         {std::uint64_t{1}, std::uint64_t{2}, parts / 2, parts - 1}) {
      if (part == 0 || part >= parts) continue;
      const std::uint64_t first = FirstHashOf(part, parts);
      EXPECT_EQ(FastRange(first, parts), part) << parts;
      EXPECT_EQ(FastRange(first - 1, parts), part - 1) << parts;
    }
  }
}

}  // namespace
}  // namespace tamis
