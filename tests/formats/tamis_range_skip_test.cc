// SPDX-License-Identifier: Apache-2.0
// Where a scan may skip to: never over a key, in either direction.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/always_maybe.h"
#include "formats/tamis/container.h"
#include "formats/tamis/range.h"
#include "tests/support/filters.h"
#include "tests/support/key_families.h"

namespace tamis {
namespace {

using testing::KeyFamilies;
using testing::KeyFamily;
using testing::PolicyOf;
using testing::Random;

using Keys = std::vector<std::string>;

// The next key from `from` on is not skipped.  Returns whether anything was.
bool CheckForward(const FilterReader& reader, const Keys& sorted,
                  const std::string& from, std::string* to) {
  const auto next = std::lower_bound(sorted.begin(), sorted.end(), from);
  if (!reader.SkipForward(from, to)) {
    EXPECT_TRUE(next == sorted.end());
    return true;
  }
  EXPECT_GE(*to, from);
  EXPECT_TRUE(next == sorted.end() || *to <= *next);
  return *to > from;
}

bool CheckBackward(const FilterReader& reader, const Keys& sorted,
                   const std::string& from, std::string* to) {
  const auto after = std::upper_bound(sorted.begin(), sorted.end(), from);
  if (!reader.SkipBackward(from, to)) {
    EXPECT_TRUE(after == sorted.begin());
    return true;
  }
  EXPECT_LE(*to, from);
  EXPECT_TRUE(after == sorted.begin() || *to >= *(after - 1));
  return *to < from;
}

void CheckBoth(const FilterReader& reader, const Keys& sorted,
               const std::string& from) {
  std::string to = "what was there before";
  CheckForward(reader, sorted, from, &to);
  CheckBackward(reader, sorted, from, &to);
}

struct Opened {
  Opened(const std::string& spec, const Keys& keys)
      : policy(PolicyOf(spec)), bytes(testing::Build(*policy, keys)) {
    auto opened = policy->Open(bytes);
    EXPECT_TRUE(opened.ok());
    if (opened.ok()) reader = *std::move(opened);
  }

  std::unique_ptr<const FilterPolicy> policy;
  std::string bytes;
  std::unique_ptr<const FilterReader> reader;
};

// From keys, from between them, and from what is near to them in bytes.
TEST(TamisRangeSkip, OfAnyFamilySkipsNoKey) {
  Random random(3);
  for (const KeyFamily& family : KeyFamilies()) {
    SCOPED_TRACE(family.name);
    // Fewer than those of which a builder refuses what does not suit it.
    const Keys keys = testing::SortedKeys(family, 1000, &random);
    const Opened filter("range:14", keys);
    ASSERT_NE(filter.reader, nullptr);
    for (const std::string& key : keys) {
      CheckBoth(*filter.reader, keys, key);
      CheckBoth(*filter.reader, keys, family.key(&random));
      std::string near = key.substr(0, random() % (key.size() + 1));
      CheckBoth(*filter.reader, keys, near);
      near.push_back(static_cast<char>(random()));
      CheckBoth(*filter.reader, keys, near);
      CheckBoth(*filter.reader, keys, near + std::string(40, '\xff'));
      CheckBoth(*filter.reader, keys, near + std::string(40, '\0'));
      if (HasFailure()) return;
    }
  }
}

// Numbers written in some way, of which one in `step` is a key.
struct Numbers {
  const char* name;
  std::uint64_t step;
  std::string (*key)(std::uint64_t number);
};

std::string Digits(std::uint64_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  return std::string(width - digits.size(), '0') + digits;
}

const Numbers kNumbers[] = {
    {"integers", std::uint64_t{1} << 49, testing::BigEndian},
    {"decimal", 1000, [](std::uint64_t n) { return Digits(n, 16); }},
    {"fields", 1000, [](std::uint64_t n) {
       return "user:" + Digits(n / 10'000, 6) +
              ":item:" + Digits(n % 10'000, 4);
     }}};

// From a third of a gap on, four fifths of the gap are skipped, either way.
TEST(TamisRangeSkip, GetsNearTheNextKey) {
  Random random(5);
  for (const Numbers& numbers : kNumbers) {
    SCOPED_TRACE(numbers.name);
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      all.push_back(random() % (20'000 * numbers.step));
    }
    std::sort(all.begin(), all.end());
    Keys keys;
    for (const std::uint64_t n : all) keys.push_back(numbers.key(n));
    const Opened filter("range:12", keys);
    std::string to;
    int gaps = 0;
    int forward = 0;
    int backward = 0;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      const std::uint64_t gap = all[i + 1] - all[i];
      if (gap < numbers.step / 2) continue;
      ++gaps;
      forward +=
          filter.reader->SkipForward(numbers.key(all[i] + gap / 3), &to) &&
          to >= numbers.key(all[i] + gap / 5 * 4);
      backward +=
          filter.reader->SkipBackward(numbers.key(all[i] + gap / 3 * 2), &to) &&
          to <= numbers.key(all[i] + gap / 5);
    }
    EXPECT_GT(forward, gaps * 98 / 100);
    EXPECT_GT(backward, gaps * 98 / 100);
  }
}

TEST(TamisRangeSkip, WithoutKeysNothingIsLeft) {
  std::string to;
  const Opened filter("range:8", {});
  EXPECT_FALSE(filter.reader->SkipForward("", &to));
  EXPECT_FALSE(filter.reader->SkipBackward("\xff", &to));
  const auto none = NewNoKeys("some");
  EXPECT_FALSE(none->SkipForward("", &to));
  EXPECT_FALSE(none->SkipBackward("a", &to));
  EXPECT_FALSE(none->MayContainRange("a", "b"));
  EXPECT_TRUE(none->MayContainRange("b", "a"));
}

TEST(TamisRangeSkip, OutsideThePrefixIsTheNearestEndOrNothing) {
  Keys keys;
  for (int i = 1000; i < 2000; ++i) keys.push_back("k:" + std::to_string(i));
  const Opened filter("range:8", keys);
  std::string to;
  ASSERT_TRUE(filter.reader->SkipForward("a", &to));
  EXPECT_EQ(to, "k:1");
  ASSERT_TRUE(filter.reader->SkipForward("", &to));
  EXPECT_EQ(to, "k:1");
  EXPECT_FALSE(filter.reader->SkipForward("l", &to));
  EXPECT_FALSE(filter.reader->SkipBackward("a", &to));
  ASSERT_TRUE(filter.reader->SkipBackward("l", &to));
  EXPECT_LE(to, "l");
  EXPECT_GE(to, "k:1999");
}

// A filter that does not know ranges, and one that is not understood.
TEST(TamisRangeSkip, OfOtherFiltersSkipsNothing) {
  const Opened bloom("bloom:10", {"k"});
  const auto unknown = NewAlwaysMaybe("tamis", "newer");
  for (const FilterReader* reader : {bloom.reader.get(), unknown.get()}) {
    std::string to = "before";
    EXPECT_TRUE(reader->SkipForward("a", &to));
    EXPECT_EQ(to, "a");
    to = "before";
    EXPECT_TRUE(reader->SkipBackward("z", &to));
    EXPECT_EQ(to, "z");
  }
}

}  // namespace
}  // namespace tamis
