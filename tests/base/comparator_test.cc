// SPDX-License-Identifier: Apache-2.0
#include "tamis/comparator.h"

#include <string>

#include <gtest/gtest.h>

// Beside LevelDB's own: tests/peers/comparator_test.cc

namespace tamis {
namespace {

std::string Between(std::string start, Slice limit) {
  BytewiseComparator().ShortenBetween(&start, limit);
  return start;
}
std::string After(std::string key) {
  BytewiseComparator().ShortenAfter(&key);
  return key;
}

TEST(BytewiseComparator, HasLevelDbsName) {
  EXPECT_EQ(BytewiseComparator().name(), "leveldb.BytewiseComparator");
  EXPECT_TRUE(BytewiseComparator().EqualMeansIdentical());
}

TEST(BytewiseComparator, OrdersByUnsignedBytesAndPrefixesFirst) {
  const Comparator& order = BytewiseComparator();
  EXPECT_LT(order.Compare("a", "b"), 0);
  EXPECT_GT(order.Compare("\xff", "a"), 0);
  EXPECT_LT(order.Compare("a", "aa"), 0);
  EXPECT_LT(order.Compare("", Slice("\0", 1)), 0);
  EXPECT_EQ(order.Compare("key", "key"), 0);
}

TEST(BytewiseComparator, ShortensBetweenTwoKeys) {
  EXPECT_EQ(Between("abcdef", "abzz"), "abd");
  EXPECT_EQ(Between("helloworld", "hellozoomer"), "hellox");
}

TEST(BytewiseComparator, LeavesTheStartWhereNothingShorterLiesBetween) {
  EXPECT_EQ(Between("abc", "abd"), "abc");    // adjacent
  EXPECT_EQ(Between("abc1", "abd"), "abc1");  // adjacent
  EXPECT_EQ(Between("ab", "abcd"), "ab");     // its beginning
  EXPECT_EQ(Between("a\xff"
                    "b",
                    "b"),
            "a\xff"
            "b");
  EXPECT_EQ(Between("", "b"), "");
}

TEST(BytewiseComparator, ShortensAfterTheLastKey) {
  EXPECT_EQ(After("abc"), "b");
  EXPECT_EQ(After("\xff\xff"
                  "abc"),
            "\xff\xff"
            "b");
  EXPECT_EQ(After("\xff\xff"), "\xff\xff");
  EXPECT_EQ(After(""), "");
}

}  // namespace
}  // namespace tamis
