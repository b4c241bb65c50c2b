// SPDX-License-Identifier: Apache-2.0
// Our order of keys beside that of the LevelDB that is installed here.

#include "tamis/comparator.h"

#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <leveldb/comparator.h>
#include <leveldb/slice.h>

namespace tamis {
namespace {

// Of few different bytes, the largest and the smallest among them, so that
// keys share beginnings and have neighbours.
std::string RandomKey(std::mt19937_64* random) {
  constexpr std::string_view kBytes("\0\1ab\x7f\x80\xfe\xff", 8);
  std::string key((*random)() % 6, '\0');
  for (char& byte : key) byte = kBytes[(*random)() % kBytes.size()];
  return key;
}

int SignOf(int order) { return order < 0 ? -1 : (order > 0 ? 1 : 0); }

TEST(ComparatorPeer, HasTheSameName) {
  EXPECT_EQ(BytewiseComparator().name(), leveldb::BytewiseComparator()->Name());
}

TEST(ComparatorPeer, OrdersAndShortensAsLevelDbDoes) {
  const leveldb::Comparator& theirs = *leveldb::BytewiseComparator();
  const Comparator& ours = BytewiseComparator();
  std::mt19937_64 random(1);
  int shortened = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::string a = RandomKey(&random);
    const std::string b = RandomKey(&random);
    ASSERT_EQ(SignOf(ours.Compare(a, b)), SignOf(theirs.Compare(a, b)));
    std::string our_key = a;
    std::string their_key = a;
    ours.ShortenAfter(&our_key);
    theirs.FindShortSuccessor(&their_key);
    ASSERT_EQ(our_key, their_key);
    if (a >= b) continue;
    our_key = their_key = a;
    ours.ShortenBetween(&our_key, b);
    theirs.FindShortestSeparator(&their_key, b);
    ASSERT_EQ(our_key, their_key);
    shortened += our_key != a ? 1 : 0;
  }
  EXPECT_GT(shortened, 1000);
}

}  // namespace
}  // namespace tamis
