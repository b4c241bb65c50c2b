// SPDX-License-Identifier: Apache-2.0
// Prefixes of keys: their extractors, and what they say of ranges and of sorted
// keys.

#include "base/key_prefix.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

using Extractor = std::shared_ptr<const PrefixExtractor>;

Extractor MadeOf(const std::string& text) {
  auto made = MakePrefixExtractor(text);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return made.ok() ? *std::move(made) : nullptr;
}

std::string PrefixBy(const std::string& text, Slice key) {
  const auto prefix = ExtractPrefix(*MadeOf(text), key);
  return prefix ? std::string(*prefix) : "(none)";
}

TEST(PrefixExtractor, TakesSoManyBytesOrDelimiters) {
  EXPECT_EQ(PrefixBy("fixed=3", "abcdef"), "abc");
  EXPECT_EQ(PrefixBy("fixed=3", "abc"), "abc");
  EXPECT_EQ(PrefixBy("fixed=3", "ab"), "(none)");
  EXPECT_EQ(PrefixBy("delimiter=:,count=2", "user:7:item:9"), "user:7:");
  EXPECT_EQ(PrefixBy("delimiter=:,count=2", "user:7:"), "user:7:");
  EXPECT_EQ(PrefixBy("delimiter=:,count=2", "user:7"), "(none)");
  EXPECT_EQ(PrefixBy("delimiter=:,count=2", "::"), "::");
  EXPECT_EQ(PrefixBy("delimiter=:", "user:7"), "user:");
  EXPECT_EQ(PrefixBy("delimiter=0x00", Slice("a\0b", 3)),
            std::string("a\0", 2));
  EXPECT_EQ(PrefixBy("delimiter=:", ""), "(none)");
  EXPECT_EQ(PrefixBy("rocksdb.FixedPrefix.2", "abc"), "ab");
  EXPECT_EQ(PrefixBy("rocksdb.CappedPrefix.2", "abc"), "ab");
}

TEST(PrefixExtractor, HasItsTextInTheShortestFormAsItsName) {
  EXPECT_EQ(MadeOf("fixed=8")->name(), "fixed=8");
  EXPECT_EQ(MadeOf("fixed=08")->name(), "fixed=8");
  EXPECT_EQ(MadeOf("delimiter=:")->name(), "delimiter=:,count=1");
  EXPECT_EQ(MadeOf("delimiter=0x3A,count=2")->name(), "delimiter=:,count=2");
  EXPECT_EQ(MadeOf("delimiter=0x2c")->name(), "delimiter=0x2c,count=1");
  EXPECT_EQ(MadeOf("delimiter=0x0a")->name(), "delimiter=0x0a,count=1");
  EXPECT_EQ(MadeOf("rocksdb.CappedPrefix.8")->name(), "fixed=8");
}

TEST(PrefixExtractor, RefusesOtherTexts) {
  for (const char* text : {"",
                           "fixed",
                           "fixed=",
                           "fixed=0",
                           "fixed=-1",
                           "fixed=65536",
                           "fixed=8 ",
                           "fixed=8,count=2",
                           "delimiter=",
                           "delimiter=,",
                           "delimiter=ab",
                           "delimiter=0x",
                           "delimiter=0x1",
                           "delimiter=0x1g",
                           "delimiter=:,",
                           "delimiter=:,count=0",
                           "delimiter=:,count=256",
                           "delimiter=:,count=",
                           "delimiter=:,2",
                           "rocksdb.FixedPrefix",
                           "rocksdb.FixedPrefix.",
                           "rocksdb.Noop",
                           "mine"}) {
    EXPECT_EQ(MakePrefixExtractor(text).status().code(),
              StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(PrefixExtractor, OfAFunctionHasANameOfItsOwn) {
  const auto half = [](Slice key) { return std::optional(key.size() / 2); };
  const auto made = NewPrefixExtractor("my.Half-1", half);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ((*made)->name(), "my.Half-1");
  EXPECT_EQ(*ExtractPrefix(**made, "abcd"), "ab");
  EXPECT_FALSE(ExtractPrefix(**made, "a"));  // empty
  for (const char* name :
       {"", "fixed=8", "rocksdb.FixedPrefix.8", "a b", "a:b", "(a)", "a\n"}) {
    EXPECT_FALSE(NewPrefixExtractor(name, half).ok()) << name;
  }
  EXPECT_FALSE(NewPrefixExtractor(std::string(65, 'n'), half).ok());
  EXPECT_FALSE(NewPrefixExtractor("none", nullptr).ok());
  const auto longer = NewPrefixExtractor(
      "longer", [](Slice key) { return std::optional(key.size() + 1); });
  EXPECT_FALSE(ExtractPrefix(**longer, "abc"));
}

// All strings of at most `length` of these characters, in order.
std::vector<std::string> AllStrings(const std::string& alphabet,
                                    std::size_t length) {
  std::vector<std::string> all = {""};
  for (std::size_t from = 0; length > 0; --length) {
    const std::size_t to = all.size();
    for (; from < to; ++from) {
      for (const char c : alphabet) all.push_back(all[from] + c);
    }
  }
  std::sort(all.begin(), all.end(),
            [](Slice a, Slice b) { return a.compare(b) < 0; });
  return all;
}

constexpr const char* kExtractors[] = {"fixed=1", "fixed=2",
                                       "delimiter=:", "delimiter=:,count=2",
                                       "delimiter=0xff"};

// Exhaustive: whatever is said of a range is true of every key in it; and a
// range that is nothing but a prefix is recognised.
TEST(PrefixOfRange, IsThatOfEveryKeyInIt) {
  const std::vector<std::string> keys = AllStrings(":a\xff", 4);
  const std::vector<std::string> ends = AllStrings(":a\xff", 3);
  std::size_t found = 0;
  for (const char* text : kExtractors) {
    const Extractor extractor = MadeOf(text);
    const auto check = [&](Slice from, const Slice* end,
                           std::optional<Slice> prefix) {
      if (!prefix) return;
      ++found;
      for (const std::string& key : keys) {
        if (Slice(key) < from || (end != nullptr && Slice(key) >= *end)) {
          continue;
        }
        ASSERT_EQ(ExtractPrefix(*extractor, key), prefix)
            << text << " from " << from << " key " << key;
      }
    };
    for (const std::string& from : ends) {
      check(from, nullptr, PrefixOfRange(*extractor, from, nullptr));
      for (const std::string& bound : ends) {
        const Slice end = bound;
        check(from, &end, PrefixOfRange(*extractor, from, &end));
        if (bound < from) continue;
        const std::string after = bound + '\0';
        const Slice past = after;
        check(from, &past, PrefixOfClosedRange(*extractor, from, bound));
      }
    }
    const std::optional<Slice> whole = ExtractPrefix(*extractor, "a:\xff:");
    ASSERT_TRUE(whole);
    const std::optional<std::string> end = EndOfPrefix(*whole);
    const Slice until = *end;
    EXPECT_EQ(PrefixOfRange(*extractor, *whole, &until), whole) << text;
    const std::string beyond = *end + '\0';
    const Slice past = beyond;
    EXPECT_FALSE(PrefixOfRange(*extractor, *whole, &past)) << text;
  }
  EXPECT_GT(found, 1000u);
}

TEST(PrefixOfRange, IsNoneWhereTheExtractorIsOfNoUse) {
  const auto throws =
      NewPrefixExtractor("throws", [](Slice) -> std::optional<std::size_t> {
        throw std::runtime_error("no");
      });
  const Slice end = "b";
  EXPECT_FALSE(PrefixOfRange(**throws, "a", &end));
  // The prefix of "abc" has another prefix.
  const auto halves = NewPrefixExtractor(
      "halves", [](Slice key) { return std::optional((key.size() + 1) / 2); });
  const Slice until = "ac";
  EXPECT_FALSE(PrefixOfRange(**halves, "abc", &until));
}

TEST(PrefixWalk, GivesEachPrefixOnceInOrderAndNoKey) {
  const std::vector<std::string> keys = AllStrings(":a\xff", 4);
  for (const char* text : kExtractors) {
    const Extractor extractor = MadeOf(text);
    for (std::size_t step = 1; step < 9; ++step) {
      PrefixWalk walk(*extractor);
      std::vector<std::string> added;
      std::set<std::string> wanted;
      for (std::size_t i = step / 2; i < keys.size(); i += step) {
        if (const auto prefix = walk.Next(keys[i])) added.emplace_back(*prefix);
        added.push_back(keys[i]);
        wanted.insert(keys[i]);
        const auto its = ExtractPrefix(*extractor, keys[i]);
        if (its) wanted.insert(std::string(*its));
      }
      EXPECT_TRUE(walk.is_valid());
      EXPECT_TRUE(
          std::is_sorted(added.begin(), added.end(),
                         [](Slice a, Slice b) { return a.compare(b) < 0; }))
          << text;
      EXPECT_EQ(added.size(), wanted.size()) << text;
      EXPECT_EQ(std::set<std::string>(added.begin(), added.end()), wanted);
    }
  }
}

TEST(PrefixWalk, NoticesPrefixesThatAreNone) {
  // Of "ab" the prefix is "a", but of "abc", which starts with "a", it is "ab".
  const auto halves = NewPrefixExtractor(
      "halves", [](Slice key) { return std::optional((key.size() + 1) / 2); });
  PrefixWalk walk(**halves);
  (void)walk.Next("ab");
  EXPECT_TRUE(walk.is_valid());
  (void)walk.Next("abc");
  EXPECT_FALSE(walk.is_valid());
  // "abcd" has the prefix "ab", which has another.
  PrefixWalk other(**halves);
  (void)other.Next("abcd");
  EXPECT_FALSE(other.is_valid());
}

}  // namespace
}  // namespace tamis
