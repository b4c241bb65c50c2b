// SPDX-License-Identifier: Apache-2.0
#include "hash/splitmix64.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::HexNumber;

TEST(SplitMix64, GivesTheGoldenValues) {
  const auto golden = testing::LoadGolden("hashes.json")["splitmix64"];
  ASSERT_EQ(golden.size(), 3u);
  for (const auto& [input, output] : golden.items()) {
    EXPECT_EQ(SplitMix64(HexNumber(input)),
              HexNumber(output.get<std::string>()));
  }
}

// The generator's first outputs for the state 1234567, as published with it.
TEST(SplitMix64, StepsAsTheGeneratorDoes) {
  constexpr std::uint64_t kIncrement = 0x9e3779b97f4a7c15;
  EXPECT_EQ(SplitMix64(1234567), 6457827717110365317u);
  EXPECT_EQ(SplitMix64(1234567 + kIncrement), 3203168211198807973u);
  EXPECT_EQ(SplitMix64(1234567 + 2 * kIncrement), 9817491932198370423u);
}

static_assert(SplitMix64(0) == 0xe220a8397b1dcdaf);

}  // namespace
}  // namespace tamis
