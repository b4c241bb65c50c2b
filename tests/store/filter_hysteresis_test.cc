// SPDX-License-Identifier: Apache-2.0
// The memory for filters is divided anew only for a change that is worth it:
// small ones leave the filters that are held, and those of new tables, as they
// are; and no table is rewritten for them.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/filter_plan.h"
#include "tamis/store.h"
#include "tamis/store_tables.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::StillOptions;
using testing::TestStore;

constexpr int kSteadyKeys = 1000;

std::string SteadyKey(const std::string& start, int number) {
  std::string digits = std::to_string(number);
  return start + std::string(6 - digits.size(), '0') + digits;
}

// Puts a table into level 0.
void WriteSteadyTable(TestStore* store, const std::string& start, int keys,
                      int first = 0) {
  for (int i = first; i < first + keys; ++i) {
    store->Put(SteadyKey(start, i), "value");
  }
  store->Flush();
}

// ---- what is held

// A table of level 0 and one of a deeper level, with equal filters and other
// keys, and memory for one filter only.
class OneOfTwoHeld {
 public:
  OneOfTwoHeld() : store_(Options()) {
    WriteSteadyTable(&store_, "b", kSteadyKeys);
    store_.Compact();
    WriteSteadyTable(&store_, "a", kSteadyKeys);
    Ask("a", 1);
    Ask("b", 1);
    const std::uint64_t both = store_->Stats().filter_memory_held;
    EXPECT_EQ(Held(), "ab");
    limit_ = both * 3 / 4;
  }

  // Looks up absent keys of that table.
  void Ask(const std::string& start, int times) {
    for (int i = 0; i < times; ++i) {
      ASSERT_FALSE(store_->Get(SteadyKey(start, i % 900) + "-").ok());
    }
  }
  // Divides the memory anew, and says whose filter is held then.
  std::string HeldNow() {
    EXPECT_TRUE(store_->SetFilterMemory(limit_).ok());
    return Held();
  }

 private:
  static StoreOptions Options() {
    StoreOptions options = StillOptions();
    options.filter_per_level = {"ribbon:8"};  // which cannot be folded
    return options;
  }
  std::string Held() {
    const StoreStats stats = store_->Stats();
    EXPECT_EQ(stats.levels[0].tables, 1u);
    std::uint64_t deeper = 0;
    for (std::size_t i = 1; i < stats.levels.size(); ++i) {
      deeper += stats.levels[i].filters_loaded;
    }
    return std::string(stats.levels[0].filters_loaded, 'a') +
           std::string(deeper, 'b');
  }

  TestStore store_;
  std::uint64_t limit_ = 0;
};

// A thousand lookups are assumed, and a filter that is held counts a quarter
// more than what it is asked.
TEST(FilterHysteresis, AFilterIsNotGivenUpForOneThatIsAskedALittleMore) {
  OneOfTwoHeld tables;
  tables.Ask("a", 2000);
  EXPECT_EQ(tables.HeldNow(), "a");
  tables.Ask("b", 2500);  // 3500 against 3000
  EXPECT_EQ(tables.HeldNow(), "a");
  tables.Ask("b", 900);  // 4400 against 3000
  EXPECT_EQ(tables.HeldNow(), "b");
  // The same the other way round.
  tables.Ask("a", 2000);  // 5000 against 4400
  EXPECT_EQ(tables.HeldNow(), "b");
  tables.Ask("a", 1500);  // 6500 against 4400
  EXPECT_EQ(tables.HeldNow(), "a");
}

// ---- filters of new tables

// Returns the size of the filter of the only table of level 0.
std::uint64_t LevelZeroFilterBytes(TestStore* store) {
  const auto tables = ListStoreTables(TestStore::dir(), store->options());
  EXPECT_TRUE(tables.ok());
  if (!tables.ok() || tables->empty()) return 0;
  EXPECT_EQ(tables->at(0).level, 0);
  EXPECT_EQ(store->TablesAt(0), 1u);
  return tables->at(0).filter_bytes;
}

// A full level of `*keys` keys, and a table in level 0 whose filter was planned
// with it.
class PlannedStore {
 public:
  PlannedStore() : store_(Options()) {
    Add(kFirst);
    (void)NextFilterBytes();
  }

  // Adds that many keys to the level.
  void Add(int keys) {
    WriteSteadyTable(&store_, "k", keys, keys_);
    keys_ += keys;
    store_.Compact();
  }
  // Writes the same keys again, and returns the size of their filter.
  std::uint64_t NextFilterBytes() {
    if (store_.TablesAt(0) > 0) store_.Compact();
    WriteSteadyTable(&store_, "k", kSteadyKeys);
    return LevelZeroFilterBytes(&store_);
  }
  TestStore& store() { return store_; }

  static constexpr int kFirst = 20 * kSteadyKeys;
  static constexpr std::uint64_t kLimit = 20'000;  // 8 bits per key

 private:
  static StoreOptions Options() {
    StoreOptions options = StillOptions();
    options.filter_memory_bytes = kLimit;
    return options;
  }

  TestStore store_;
  int keys_ = 0;
};

TEST(FilterHysteresis, AFewKeysMoreDoNotChangeFiltersOfNewTables) {
  PlannedStore planned;
  const std::uint64_t before = planned.NextFilterBytes();
  planned.Add(kSteadyKeys);  // a twentieth
  EXPECT_EQ(planned.NextFilterBytes(), before);
  planned.Add(10 * kSteadyKeys);  // half as many again
  EXPECT_LT(planned.NextFilterBytes(), before);
}

TEST(FilterHysteresis, CountsAreCloseIfTheyDifferByATenth) {
  LevelKeys keys;
  keys.levels[1] = 1000;
  keys.tables_of_level0 = 3;
  keys.of_flush = 100;
  EXPECT_TRUE(keys.IsCloseTo(keys));
  struct Case {
    std::uint64_t level1;
    std::uint64_t of_flush;
    std::uint64_t tables;
    bool is_close;
  };
  const Case cases[] = {
      {1100, 100, 3, true},  {1120, 100, 3, false}, {900, 100, 3, true},
      {890, 100, 3, false},  {1000, 110, 3, true},  {1000, 120, 3, false},
      {1000, 100, 4, false}, {0, 100, 3, false},
  };
  for (const Case& one : cases) {
    LevelKeys other = keys;
    other.levels[1] = one.level1;
    other.of_flush = one.of_flush;
    other.tables_of_level0 = one.tables;
    EXPECT_EQ(keys.IsCloseTo(other), one.is_close) << one.level1;
    EXPECT_EQ(other.IsCloseTo(keys), one.is_close) << one.level1;
  }
}

TEST(FilterHysteresis, NoTableIsRewrittenForAnotherLimit) {
  PlannedStore planned;
  (void)planned.NextFilterBytes();
  TestStore& store = planned.store();
  const std::vector<std::string> files = store.Files(".ldb");
  const std::uint64_t written = store->Stats().compaction_bytes_written;
  constexpr std::uint64_t kLimit = PlannedStore::kLimit;
  for (const std::uint64_t limit :
       {kLimit - kLimit / 50, kLimit / 8, std::uint64_t{0}, 4 * kLimit,
        kLimit + kLimit / 50, kLimit}) {
    ASSERT_TRUE(store->SetFilterMemory(limit).ok());
    ASSERT_TRUE(store->WaitForQuiet().ok());
    EXPECT_EQ(store.Files(".ldb"), files) << limit;
  }
  EXPECT_EQ(store->Stats().compaction_bytes_written, written);
}

}  // namespace
}  // namespace tamis
