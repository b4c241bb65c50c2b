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
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::SmallOptions;
using testing::StillOptions;
using testing::TestStore;

constexpr int kSteadyKeys = 1000;

std::string SteadyKey(const std::string& start, int number) {
  std::string digits = std::to_string(number);
  return start + std::string(6 - digits.size(), '0') + digits;
}

// Puts a table into level 0.
void WriteSteadyTable(TestStore* store, const std::string& start, int keys) {
  for (int i = 0; i < keys; ++i) {
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

// What was planned stays as long as this holds.
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

// ---- tables that are there

constexpr std::uint64_t kSteadyLimit = 5000;  // 8 bits per key

// Tables whose filters are as they were planned.
class SteadyStore {
 public:
  explicit SteadyStore(const StoreOptions& options) : store_(Limited(options)) {
    WriteSteadyTable(&store_, "k", 4 * kSteadyKeys);
    RewriteWhatDiffers();
    // Until the tables that level 0 had are forgotten.
    constexpr int kForgetful = 40;
    for (int i = 0; i < kForgetful; ++i) SetMemory(kSteadyLimit);
    // Planned for what is there now.
    for (const std::uint64_t limit : {3 * kSteadyLimit, kSteadyLimit}) {
      SetMemory(limit);
      RewriteWhatDiffers();
    }
    files_ = store_.Files(".ldb");
  }

  void SetMemory(std::uint64_t limit) {
    ASSERT_TRUE(store_->SetFilterMemory(limit).ok());
    ASSERT_TRUE(store_->WaitForQuiet().ok());
  }
  void RewriteWhatDiffers() {
    ASSERT_TRUE(store_->WaitForQuiet().ok());
    ASSERT_TRUE(store_->CompactWith({.rewrite_what_differs = true}).ok());
    ASSERT_TRUE(store_->WaitForQuiet().ok());
  }
  bool HasSameFiles() { return store_.Files(".ldb") == files_; }
  std::uint64_t written() { return store_->Stats().compaction_bytes_written; }

 private:
  static StoreOptions Limited(StoreOptions options) {
    options.filter_memory_bytes = kSteadyLimit;
    return options;
  }

  TestStore store_;
  std::vector<std::string> files_;
};

// Though compactions come by themselves where there is something to do.
TEST(FilterHysteresis, NoTableIsRewrittenByItselfForAnotherLimit) {
  SteadyStore steady(SmallOptions());
  const std::uint64_t written = steady.written();
  for (const std::uint64_t limit :
       {kSteadyLimit / 8, std::uint64_t{0}, 4 * kSteadyLimit, kSteadyLimit}) {
    steady.SetMemory(limit);
    EXPECT_TRUE(steady.HasSameFiles()) << limit;
  }
  EXPECT_EQ(steady.written(), written);
}

// Within one and a half bits per key a table is as wanted.
TEST(FilterHysteresis, OnlyForMuchLessMemoryATableDiffersFromWhatIsWanted) {
  SteadyStore steady(StillOptions());
  for (const std::uint64_t limit :
       {kSteadyLimit - kSteadyLimit / 8, kSteadyLimit + kSteadyLimit / 8}) {
    steady.SetMemory(limit);
    steady.RewriteWhatDiffers();
    EXPECT_TRUE(steady.HasSameFiles()) << limit;
  }
  steady.SetMemory(kSteadyLimit / 2);
  steady.RewriteWhatDiffers();
  EXPECT_FALSE(steady.HasSameFiles());
}

}  // namespace
}  // namespace tamis
