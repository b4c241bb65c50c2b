// SPDX-License-Identifier: Apache-2.0
#include "table/prefix_tree.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

void ExpectLikeLowerBound(const std::vector<std::uint64_t>& numbers) {
  const PrefixTree tree(numbers);
  ASSERT_EQ(tree.size(), numbers.size());
  std::vector<std::uint64_t> wanted = {0, 1, UINT64_MAX - 1, UINT64_MAX};
  for (const std::uint64_t number : numbers) {
    wanted.push_back(number);
    wanted.push_back(number - 1);
    wanted.push_back(number + 1);
  }
  for (const std::uint64_t number : wanted) {
    const auto expected =
        std::lower_bound(numbers.begin(), numbers.end(), number) -
        numbers.begin();
    ASSERT_EQ(tree.LowerBound(number), static_cast<std::size_t>(expected))
        << number << " among " << numbers.size();
  }
}

TEST(PrefixTree, FindsWhatASearchFindsForEverySize) {
  std::mt19937_64 random(1);
  for (std::size_t size = 0; size < 700; size += size < 80 ? 1 : 29) {
    std::vector<std::uint64_t> numbers(size);
    for (std::uint64_t& number : numbers) number = random();
    std::sort(numbers.begin(), numbers.end());
    ExpectLikeLowerBound(numbers);
  }
}

TEST(PrefixTree, FindsTheFirstOfEqualOnes) {
  for (const std::size_t size : {7u, 8u, 9u, 64u, 65u, 600u}) {
    std::vector<std::uint64_t> numbers(size);
    for (std::size_t i = 0; i < size; ++i) numbers[i] = 1000 + i / 10;
    ExpectLikeLowerBound(numbers);
    ExpectLikeLowerBound(std::vector<std::uint64_t>(size, 5));
    ExpectLikeLowerBound(std::vector<std::uint64_t>(size, UINT64_MAX));
    ExpectLikeLowerBound(std::vector<std::uint64_t>(size, 0));
  }
}

TEST(PrefixTree, OfNoNumbersFindsNone) {
  EXPECT_EQ(PrefixTree().LowerBound(5), 0u);
  EXPECT_TRUE(PrefixTree(std::span<const std::uint64_t>()).empty());
}

}  // namespace
}  // namespace tamis
