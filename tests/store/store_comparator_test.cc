// SPDX-License-Identifier: Apache-2.0
// Stores whose keys are ordered otherwise than by their bytes.

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/comparator.h"
#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::Backwards;
using testing::NumberKey;
using testing::SmallOptions;
using testing::StillOptions;
using testing::TestStore;

char Lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

class IgnoringCase final : public Comparator {
 public:
  std::string_view name() const noexcept override { return "test.NoCase"; }
  int Compare(Slice a, Slice b) const noexcept override {
    const std::size_t most = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < most; ++i) {
      if (Lower(a[i]) != Lower(b[i])) return Lower(a[i]) < Lower(b[i]) ? -1 : 1;
    }
    return a.size() < b.size() ? -1 : (a.size() > b.size() ? 1 : 0);
  }
};

TEST(StoreComparator, OfAnotherNameIsRefused) {
  const Backwards backwards;
  TestStore store;
  store.Put("a", "1");
  store.Close();
  store.options().comparator = &backwards;
  const Status opened = store.TryOpen();
  EXPECT_EQ(opened.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(opened.message().find("leveldb.BytewiseComparator"),
            std::string::npos);
  EXPECT_EQ(CheckStore("/db", store.options()).status().code(),
            StatusCode::kInvalidArgument);
  store.options().comparator = &BytewiseComparator();
  store.Open();
  EXPECT_EQ(store.Get("a"), "1");
}

TEST(StoreComparator, FiltersHideNoKeyThatIsEqualByOtherBytes) {
  const IgnoringCase order;
  StoreOptions options = StillOptions();
  options.comparator = &order;
  TestStore store(options);
  store.Put("KEY", "1");
  store.Put("other", "2");
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ(store.Get("key"), "1");
    EXPECT_EQ(store.Get("Key"), "1");
    EXPECT_EQ(store.Get("KEY"), "1");
    EXPECT_EQ(store.Get("kez"), "(none)");
    if (round == 0) store.Flush();
    if (round == 1) store.Reopen();
    if (round == 2) store.Compact();
  }
  store.Put("kEy", "3");
  EXPECT_EQ(store.Get("KEY"), "3");
  store.Delete("keY");
  EXPECT_EQ(store.Get("KEY"), "(none)");
  store.Compact();
  EXPECT_EQ(store.All(), "other=2");
  const auto checked = CheckStore("/db", store.options());
  ASSERT_TRUE(checked.ok());
  EXPECT_TRUE(checked->problems.empty());
  EXPECT_EQ(checked->entries, 1u);
}

TEST(StoreComparator, ReverseOrdersAllLevels) {
  const Backwards order;
  StoreOptions options = SmallOptions();
  options.comparator = &order;
  TestStore store(options);
  std::map<std::string, std::string> model;
  for (std::uint64_t i = 0; i < 6000; ++i) {
    const std::string key = NumberKey(i * 7919 % 3000);
    const std::string value = std::to_string(i);
    if (i % 5 == 4) {
      store.Delete(key);
      model.erase(key);
    } else {
      store.Put(key, value);
      model[key] = value;
    }
  }
  store.Reopen();
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const auto found = model.find(NumberKey(i));
    ASSERT_EQ(store.Get(NumberKey(i)),
              found == model.end() ? "(none)" : found->second);
    ASSERT_EQ(store.Get(NumberKey(i) + "x"), "(none)");
  }
  EXPECT_GT(store->Stats().filters().absent, 1000u);  // they are in use
  const auto it = store->NewIterator();
  auto expected = model.rbegin();
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
    ASSERT_NE(expected, model.rend());
    ASSERT_EQ(it->key(), expected->first);
  }
  EXPECT_EQ(expected, model.rend());
  const std::string start = NumberKey(1500) + "x";
  it->Seek(start);
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), std::prev(model.lower_bound(start))->first);
  it->SeekForPrev(start);
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), model.lower_bound(start)->first);
  // Bounds are in its order, too; a prefix would have none.
  const std::string lower = NumberKey(1500);
  const std::string upper = NumberKey(1400);
  const auto some =
      store->NewIterator({.lower_bound = lower, .upper_bound = upper});
  auto at = std::prev(model.upper_bound(lower));
  for (some->SeekToFirst(); some->Valid(); some->Next(), --at) {
    ASSERT_EQ(some->key(), at->first);
  }
  EXPECT_EQ(at->first, std::prev(model.upper_bound(upper))->first);
  const auto none = store->NewIterator({.prefix = "key"});
  none->SeekToFirst();
  EXPECT_FALSE(none->Valid());
  EXPECT_EQ(none->status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tamis
