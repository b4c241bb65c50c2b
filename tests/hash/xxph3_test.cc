// SPDX-License-Identifier: Apache-2.0
#include "hash/xxph3.h"

#include <gtest/gtest.h>

#include "hash/xxhash.h"
#include "tests/hash/golden_rows.h"

namespace tamis {
namespace {

using testing::ExpectGoldenColumn;
using testing::FromHex;
using testing::GoldenInput;

TEST(Xxph3, GivesTheGoldenValues) { ExpectGoldenColumn("xxph3", Xxph3); }

// Some of the values that RocksDB's own test fixes, one per length.
TEST(Xxph3, GivesRocksDbsPublishedValues) {
  EXPECT_EQ(Xxph3(""), 5999572062939766020u);
  EXPECT_EQ(Xxph3(FromHex("9a")), 16322991629225003903u);
  EXPECT_EQ(Xxph3(FromHex("91f7")), 14199427467559720719u);
  EXPECT_EQ(Xxph3(FromHex("56dcd6")), 12404347133785524237u);
  EXPECT_EQ(Xxph3(FromHex("69b8c088")), 6611781377647041447u);
  EXPECT_EQ(Xxph3(FromHex("6ca8bce599")), 1249038833153141148u);
  EXPECT_EQ(Xxph3(FromHex("42fbf252b410")), 4373664924115234051u);
  EXPECT_EQ(Xxph3(FromHex("5977f0a724f478")), 8601330687345614172u);
  EXPECT_EQ(Xxph3(FromHex("311b98759622d39a")), 9844314944338447628u);
  EXPECT_EQ(Xxph3(FromHex("b6c0dd053fc4864cef")), 12439346786701492u);
  EXPECT_EQ(Xxph3(FromHex("226f391ff8dd4f521794")), 12883919702069153152u);
}

TEST(Xxph3, IsNotTheFinalXxh3AtAnyLength) {
  for (std::size_t n = 0; n <= 3000; ++n) {
    const std::string input = GoldenInput(n);
    ASSERT_NE(Xxph3(input), Xxh3(input)) << "length " << n;
  }
}

}  // namespace
}  // namespace tamis
