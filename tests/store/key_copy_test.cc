// SPDX-License-Identifier: Apache-2.0
#include "store/key_copy.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/store/versions.h"

namespace tamis {
namespace {

using testing::InternalKey;

// Of few letters, so that many are equal or begin alike; '\xff' shows whether
// bytes are compared without sign.
std::string AlikeKey(std::mt19937_64* random) {
  std::string key((*random)() % 4 * 30, 'p');
  for (auto size = (*random)() % 20; size > 0; --size) {
    key.push_back("ab\xff"[(*random)() % 3 == 0 ? (*random)() % 3 : 0]);
  }
  return key;
}

TEST(KeyCopy, IsEqualToItsKeyAndOrderedLikeIt) {
  std::mt19937_64 random(1);
  const KeyOrder order;
  KeyCopy copy;
  EXPECT_EQ(copy.key(), "");
  for (int round = 0; round < 5000; ++round) {
    const std::string a = AlikeKey(&random);
    const std::string b = AlikeKey(&random);
    const std::string internal = InternalKey(a, random() % 100);
    copy.Assign(internal);
    ASSERT_EQ(copy.key(), a);
    ASSERT_FALSE(copy.IsBefore(a, order));
    ASSERT_EQ(copy.IsBefore(b, order), a < b) << a << " and " << b;
  }
}

}  // namespace
}  // namespace tamis
