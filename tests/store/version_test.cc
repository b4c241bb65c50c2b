// SPDX-License-Identifier: Apache-2.0
// Which tables a version says may hold a key, against a look at all of them.

#include "store/version.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "store/batch_search.h"
#include "store/lookup.h"
#include "tests/store/versions.h"

namespace tamis {
namespace {

using testing::EditOf;
using testing::InternalKey;
using testing::MakeVersion;
using testing::NoFiles;
using testing::Numbers;
using testing::NumbersOf;
using testing::TableAt;
using testing::TryVersion;

class BackwardComparator final : public Comparator {
 public:
  std::string_view name() const noexcept override { return "test.Backward"; }
  int Compare(Slice a, Slice b) const noexcept override { return b.compare(a); }
};

// Of few bytes and short, so that prefixes of eight bytes are often equal and
// keys are prefixes of each other.
std::string RandomKey(std::mt19937_64* random, const std::string& common) {
  constexpr std::string_view kBytes("\0\1a\xff", 4);
  std::string key = common + std::string((*random)() % 12, 'x');
  const std::size_t tail = (*random)() % 4;
  for (std::size_t i = 0; i < tail; ++i) key += kBytes[(*random)() % 4];
  return key;
}

// Sorted tables without overlap, some of one key alone.
std::vector<TableAt> RandomTables(std::mt19937_64* random, int level,
                                  const std::string& common,
                                  const Comparator& order) {
  std::set<std::string> keys;
  const std::size_t count = (*random)() % 40;
  while (keys.size() < count) keys.insert(RandomKey(random, common));
  std::vector<std::string> sorted(keys.begin(), keys.end());
  std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
    return order.Compare(a, b) < 0;
  });
  std::vector<TableAt> tables;
  for (std::size_t i = 0; i < sorted.size();) {
    const std::size_t last = std::min(i + (*random)() % 2, sorted.size() - 1);
    tables.push_back(
        {.level = level,
         .number = static_cast<std::uint64_t>(level) * 1000 + i + 1,
         .first = sorted[i],
         .last = sorted[last]});
    i = last + 1;
  }
  return tables;
}

std::size_t SlowFindTable(const Level& level, const KeyOrder& order,
                          const std::string& key) {
  std::size_t i = 0;
  while (i < level.size() &&
         order.Compare(level.files()[i]->largest(), key) < 0) {
    ++i;
  }
  return i;
}

void ExpectFinds(const Version& version, const std::string& user_key) {
  const KeyOrder& order = version.order();
  for (const Sequence sequence : {Sequence{5}, Sequence{10}, kMaxSequence}) {
    const std::string key = InternalKey(user_key, sequence);
    bool below = false;
    for (int i = kStoreLevels - 1; i > 0; --i) {
      const Level& level = version.level(i);
      const std::size_t at = SlowFindTable(level, order, key);
      ASSERT_EQ(level.FindTable(key), at);
      const bool holds =
          at < level.size() &&
          order.CompareUser(UserKeyOf(level.files()[at]->smallest()),
                            user_key) <= 0;
      ASSERT_EQ(level.FindHolder(key), holds ? at : level.size());
      if (sequence != kMaxSequence) continue;
      ASSERT_EQ(version.MayBeBelow(i, user_key), below);
      below = below || holds;
    }
  }
}

void TryManyVersions(const Comparator& order) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 150; ++round) {
    const std::string common(random() % 20, 'c');
    std::vector<TableAt> tables;
    std::vector<std::string> keys = {"", common, common + "\xff\xff", "b", "d"};
    for (int level = 1; level < kStoreLevels; level += 1 + round % 2) {
      for (TableAt& table : RandomTables(&random, level, common, order)) {
        keys.push_back(table.first);
        keys.push_back(table.last + '\0');
        tables.push_back(std::move(table));
      }
    }
    for (int i = 0; i < 40; ++i) keys.push_back(RandomKey(&random, common));
    const auto version = MakeVersion(tables, order);
    for (const std::string& key : keys) ExpectFinds(*version, key);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Version, FindsTheTableThatALookAtAllFinds) {
  TryManyVersions(BytewiseComparator());
}
TEST(Version, FindsTablesInAnotherOrderToo) {
  TryManyVersions(BackwardComparator());
}

TEST(Version, FindsTheTableOfAKeyWhoseVersionsTwoTablesShare) {
  const auto version = MakeVersion(
      {{.level = 1, .number = 1, .first = "a", .last = "k", .last_sequence = 7},
       {.level = 1,
        .number = 2,
        .first = "k",
        .last = "z",
        .first_sequence = 6}});
  const Level& level = version->level(1);
  EXPECT_EQ(level.FindHolder(InternalKey("k", 9)), 0u);
  EXPECT_EQ(level.FindHolder(InternalKey("k", 7)), 0u);
  EXPECT_EQ(level.FindHolder(InternalKey("k", 6)), 1u);
}

// Level 0: the newest first, and never is one left out that spans the key.
TEST(TableSearch, GathersAllTablesThatSpanTheKeyNewestFirst) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 100; ++round) {
    const std::string common(random() % 10, 'c');
    std::vector<TableAt> tables =
        RandomTables(&random, 3, common, BytewiseComparator());
    const std::uint64_t flushed = random() % 80;
    for (std::uint64_t i = 0; i < flushed; ++i) {
      std::string a = RandomKey(&random, common);
      std::string b = RandomKey(&random, common);
      if (b < a) std::swap(a, b);
      tables.push_back({.number = i + 1, .first = a, .last = b});
    }
    const auto version = MakeVersion(tables);
    for (int i = 0; i < 30; ++i) {
      const std::string key = RandomKey(&random, i < 25 ? common : "");
      const Lookup lookup(key, 100);
      TableSearch search(*version, lookup);
      std::vector<std::pair<int, std::uint64_t>> found;
      for (search.Gather(); search.size() > 0; search.Gather()) {
        for (std::size_t c = 0; c < search.size(); ++c) {
          found.emplace_back(search.level(c), search.file(c).number());
        }
      }
      std::vector<std::pair<int, std::uint64_t>> needed;
      for (std::size_t t = tables.size(); t > 0; --t) {
        const TableAt& table = tables[t - 1];
        if (table.first <= key && key <= table.last) {
          needed.emplace_back(table.level, table.number);
        }
      }
      // In order: levels rise, and in level 0 numbers fall.
      std::size_t next = 0;
      for (const auto& candidate : found) {
        next += next < needed.size() && needed[next] == candidate;
      }
      ASSERT_EQ(next, needed.size());
      ASSERT_TRUE(std::is_sorted(
          found.begin(), found.end(), [](const auto& x, const auto& y) {
            return x.first != y.first ? x.first < y.first : x.second > y.second;
          }));
    }
  }
}

// Without filters every table is a hit: the same as for single keys.
TEST(BatchSearch, FindsForEachKeyWhatASingleSearchFinds) {
  using Found = std::vector<std::pair<int, std::uint64_t>>;
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    const std::string common(random() % 10, 'c');
    std::vector<TableAt> tables =
        RandomTables(&random, 3, common, BytewiseComparator());
    const std::uint64_t flushed = random() % 80;
    for (std::uint64_t i = 0; i < flushed; ++i) {
      std::string a = RandomKey(&random, common);
      std::string b = RandomKey(&random, common);
      if (b < a) std::swap(a, b);
      tables.push_back({.number = i + 1, .first = a, .last = b});
    }
    const auto version = MakeVersion(tables);
    const std::size_t count = 1 + random() % kKeysAtOnce;
    std::vector<std::unique_ptr<Lookup>> lookups;
    BatchSearch batch(*version, FilterUse::kOn);
    for (std::size_t i = 0; i < count; ++i) {
      lookups.push_back(std::make_unique<Lookup>(
          RandomKey(&random, i % 5 != 0 ? common : ""), 100));
      batch.Add(*lookups.back());
    }
    std::vector<Found> found(count);
    ReadCounters counters;
    while (batch.Search(~KeySet{0}, &counters)) {
      for (const BatchSearch::Hit& hit : batch.hits()) {
        EXPECT_FALSE(hit.answer.asked);
        found[hit.key].emplace_back(hit.place.number,
                                    hit.place.file().number());
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      TableSearch search(*version, *lookups[i]);
      Found wanted;
      for (search.Gather(); search.size() > 0; search.Gather()) {
        for (std::size_t c = 0; c < search.size(); ++c) {
          wanted.emplace_back(search.level(c), search.file(c).number());
        }
      }
      ASSERT_EQ(found[i], wanted);
    }
  }
}

TEST(Version, OverlappingTakesBothEndsAsIncluded) {
  const auto version =
      MakeVersion({{.level = 2, .number = 1, .first = "b", .last = "d"},
                   {.level = 2, .number = 2, .first = "f", .last = "h"},
                   {.level = 2, .number = 3, .first = "j", .last = "l"}});
  const auto overlapping = [&](const char* from, const char* to) {
    const Slice a = from == nullptr ? "" : from;
    const Slice b = to == nullptr ? "" : to;
    return NumbersOf(version->Overlapping(2, from == nullptr ? nullptr : &a,
                                          to == nullptr ? nullptr : &b));
  };
  EXPECT_EQ(overlapping(nullptr, nullptr), (Numbers{1, 2, 3}));
  EXPECT_EQ(overlapping("d", "f"), (Numbers{1, 2}));
  EXPECT_EQ(overlapping("da", "e"), Numbers{});
  EXPECT_EQ(overlapping("g", "g"), Numbers{2});
  EXPECT_EQ(overlapping("h", nullptr), (Numbers{2, 3}));
  EXPECT_EQ(overlapping(nullptr, "e"), Numbers{1});
  EXPECT_EQ(overlapping("m", nullptr), Numbers{});
}

TEST(Version, RefusesTablesThatOverlap) {
  const TableAt a = {.level = 1, .number = 1, .first = "a", .last = "f"};
  const TableAt b = {.level = 1, .number = 2, .first = "f", .last = "k"};
  const TableAt within = {.level = 1, .number = 3, .first = "b", .last = "c"};
  EXPECT_EQ(TryVersion({a, b}).status().code(), StatusCode::kCorruption);
  EXPECT_EQ(TryVersion({a, within}).status().code(), StatusCode::kCorruption);
  EXPECT_EQ(TryVersion({a, a}).status().code(), StatusCode::kCorruption);
  TableAt upper = within;
  upper.level = 0;
  EXPECT_TRUE(TryVersion({a, upper}).ok());
  const TableAt backward = {.number = 4, .first = "b", .last = "a"};
  EXPECT_EQ(TryVersion({backward}).status().code(), StatusCode::kCorruption);
}

TEST(Version, RefusesToRemoveWhatIsNotThere) {
  const auto version =
      MakeVersion({{.level = 1, .number = 1, .first = "a", .last = "b"}});
  VersionEdit edit;
  edit.removed.emplace_back(2, 1);
  EXPECT_EQ(version->Apply(edit, NoFiles()).status().code(),
            StatusCode::kCorruption);
  edit.removed = {{1, 2}};
  EXPECT_EQ(version->Apply(edit, NoFiles()).status().code(),
            StatusCode::kCorruption);
}

TEST(Version, KeepsTheObjectOfATableThatIsMoved) {
  const auto version =
      MakeVersion({{.level = 1, .number = 1, .first = "a", .last = "b"}});
  VersionEdit edit =
      EditOf({{.level = 2, .number = 1, .first = "a", .last = "b"}});
  edit.removed.emplace_back(1, 1);
  const auto moved = version->Apply(edit, NoFiles());
  ASSERT_TRUE(moved.ok());
  EXPECT_TRUE(moved->level(1).empty());
  EXPECT_EQ(moved->level(2).files(), version->level(1).files());
  EXPECT_EQ(moved->filled_levels(), std::vector<int>{2});
}

}  // namespace
}  // namespace tamis
