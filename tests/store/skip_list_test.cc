// SPDX-License-Identifier: Apache-2.0
#include "store/skip_list.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/store/versions.h"

namespace tamis {
namespace {

using testing::InternalKey;

// Ignores case: not the order of bytes.
class CaselessOrder final : public Comparator {
 public:
  std::string_view name() const noexcept override { return "caseless"; }
  int Compare(Slice a, Slice b) const noexcept override {
    return Lower(a).compare(Lower(b));
  }

 private:
  static std::string Lower(Slice key) {
    std::string lower(key);
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    return lower;
  }
};

// What a list is to be like.
class ListAndModel {
 public:
  explicit ListAndModel(const KeyOrder& order)
      : list(order),
        entries([order](const std::string& a, const std::string& b) {
          return order.Compare(a, b) < 0;
        }) {}

  void Insert(Sequence sequence, Slice user_key, Slice value) {
    const ValueType type =
        sequence % 5 == 0 ? ValueType::kDeletion : ValueType::kValue;
    list.Insert(sequence, type, user_key, value);
    entries.emplace(InternalKey(user_key, sequence, type), value);
  }

  // Every entry in order, and what is found at, before and after each.
  void Compare() const {
    ASSERT_EQ(list.entries(), entries.size());
    const auto iterator = list.NewIterator();
    EXPECT_FALSE(iterator->Valid());
    iterator->SeekToFirst();
    for (const auto& [key, value] : entries) {
      ASSERT_TRUE(iterator->Valid());
      ASSERT_EQ(iterator->key(), key);
      ASSERT_EQ(iterator->value(), value);
      iterator->Next();
    }
    EXPECT_FALSE(iterator->Valid());
    iterator->SeekToLast();
    for (auto at = entries.rbegin(); at != entries.rend(); ++at) {
      ASSERT_TRUE(iterator->Valid());
      ASSERT_EQ(iterator->key(), at->first);
      iterator->Prev();
    }
    EXPECT_FALSE(iterator->Valid());
    EXPECT_TRUE(iterator->status().ok());
  }

  void CompareSeek(Slice internal_key) const {
    const auto iterator = list.NewIterator();
    iterator->Seek(internal_key);
    const auto found = entries.lower_bound(std::string(internal_key));
    ASSERT_EQ(iterator->Valid(), found != entries.end());
    if (iterator->Valid()) {
      ASSERT_EQ(iterator->key(), found->first);
    }
    const SkipList::Node* const before = list.FindBefore(internal_key);
    ASSERT_EQ(before != nullptr, found != entries.begin());
    if (before != nullptr) {
      ASSERT_EQ(SkipList::KeyOf(before), std::prev(found)->first);
    }
  }

  SkipList list;
  std::map<std::string, std::string,
           std::function<bool(const std::string&, const std::string&)>>
      entries;
};

using MakeKey = std::function<std::string(std::mt19937_64*)>;

// Few different keys of few different bytes, among them the empty one, zeros
// at the end, and such as differ only behind their first 16 bytes.
std::string AwkwardKey(std::mt19937_64* random) {
  constexpr std::string_view kBytes("\0az\xff", 4);
  std::string key(std::vector<std::size_t>{0, 6, 14, 30}[(*random)() % 4], 'p');
  for (std::size_t more = (*random)() % 4; more > 0; --more) {
    key += kBytes[(*random)() % kBytes.size()];
  }
  return key;
}

std::string DecimalKey(std::mt19937_64* random) {
  char key[17];
  std::snprintf(key, sizeof(key), "%016u",
                static_cast<unsigned>((*random)() % 100'000));
  return key;
}

std::string MixedCaseKey(std::mt19937_64* random) {
  std::string key((*random)() % 4, '\0');
  for (char& c : key) c = "aAbBcC"[(*random)() % 6];
  return key;
}

void CompareWithMap(const KeyOrder& order, const MakeKey& make_key) {
  std::mt19937_64 random(7);
  ListAndModel model(order);
  model.Compare();
  model.CompareSeek(InternalKey("any", 1));
  for (Sequence sequence = 1; sequence <= 3000; ++sequence) {
    const std::string value(random() % 50, static_cast<char>(sequence));
    model.Insert(sequence, make_key(&random), value);
    if (sequence % 1000 == 0 || sequence < 10) {
      ASSERT_NO_FATAL_FAILURE(model.Compare());
    }
    ASSERT_NO_FATAL_FAILURE(model.CompareSeek(
        InternalKey(make_key(&random), random() % (sequence + 2))));
  }
}

TEST(SkipList, IsLikeAMapOfAwkwardKeys) {
  CompareWithMap(KeyOrder(), AwkwardKey);
}

TEST(SkipList, IsLikeAMapOfPaddedNumbers) {
  CompareWithMap(KeyOrder(), DecimalKey);
}

TEST(SkipList, IsLikeAMapInAnOrderThatIsNotBytewise) {
  const CaselessOrder caseless;
  CompareWithMap(KeyOrder(caseless), MixedCaseKey);
}

// Rows that go up or down, or up in several places by turns, also backwards
// into what is there: the ways around a search.
TEST(SkipList, TakesRowsInAnyDirection) {
  ListAndModel model{KeyOrder()};
  Sequence sequence = 0;
  const auto insert = [&](int number) {
    char key[20];
    std::snprintf(key, sizeof(key), "%08d", number);
    model.Insert(++sequence, key, "v");
  };
  for (int i = 0; i < 500; ++i) insert(10'000 + 2 * i);
  for (int i = 0; i < 500; ++i) insert(10'001 + 2 * i);
  for (int i = 500; i > 0; --i) insert(5000 + i);
  for (int i = 0; i < 900; ++i) insert(i % 3 * 20'000 + i);
  for (int i = 0; i < 300; ++i) insert(10'100);  // versions of one key
  ASSERT_NO_FATAL_FAILURE(model.Compare());
  EXPECT_GE(model.list.bytes(), 2700u * 25);
}

TEST(SkipList, PutsTheNewestOfAKeyFirst) {
  SkipList list{KeyOrder()};
  for (const Sequence sequence : {3u, 9u, 5u}) {
    list.Insert(sequence, ValueType::kValue, "key", std::to_string(sequence));
  }
  const auto found = [&](Sequence sequence) -> std::string {
    const auto* node = list.FindAtOrAfter(InternalKey("key", sequence));
    return node == nullptr ? "none" : std::string(SkipList::ValueOf(node));
  };
  EXPECT_EQ(found(kMaxSequence), "9");
  EXPECT_EQ(found(9), "9");
  EXPECT_EQ(found(8), "5");
  EXPECT_EQ(found(4), "3");
  EXPECT_EQ(found(2), "none");
}

TEST(SkipList, KeepsLargeValues) {
  SkipList list{KeyOrder()};
  const std::string large(std::size_t{5} << 20, 'x');
  list.Insert(1, ValueType::kValue, large, large);
  list.Insert(2, ValueType::kValue, "a", "");
  ASSERT_NE(list.Last(), nullptr);
  EXPECT_EQ(UserKeyOf(SkipList::KeyOf(list.Last())), large);
  EXPECT_EQ(SkipList::ValueOf(list.Last()), large);
  EXPECT_EQ(SkipList::ValueOf(list.First()), "");
  EXPECT_GE(list.bytes(), 2 * large.size());
}

}  // namespace
}  // namespace tamis
