// SPDX-License-Identifier: Apache-2.0
// A limit of the memory for filters: it holds at every moment, and no answer
// depends on it.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter_files.h"
#include "tamis/store.h"
#include "tamis/store_settings.h"
#include "tamis/store_tables.h"
#include "tests/store/gate_env.h"
#include "tests/store/stores.h"
#include "tests/support/failing_new.h"

namespace tamis {
namespace {

using testing::SmallOptions;
using testing::StillOptions;
using testing::TestStore;

constexpr int kNumbers = 6000;

std::string NumberedKey(int number) {
  std::string digits = std::to_string(number);
  return "key" + std::string(8 - digits.size(), '0') + digits;
}

StoreOptions LimitedOptions(std::optional<std::uint64_t> bytes) {
  StoreOptions options = SmallOptions();
  options.filter_memory_bytes = bytes;
  return options;
}

// Even numbers: the odd ones are absent, and within all ranges.
void FillWithEven(TestStore* store) {
  for (int i = 0; i < kNumbers; i += 2) {
    store->Put(NumberedKey(i * 7919 % kNumbers), std::to_string(i));
  }
  store->Flush();
  ASSERT_TRUE((*store)->WaitForQuiet().ok());
}

void ExpectEven(TestStore* store, const ReadOptions& options = {}) {
  for (int i = 0; i < kNumbers; ++i) {
    const Result<std::string> value = (*store)->Get(options, NumberedKey(i));
    ASSERT_EQ(value.ok(), i % 2 == 0) << i;
    ASSERT_TRUE(value.ok() || value.status().code() == StatusCode::kNotFound);
  }
  // The same in batches.
  std::vector<std::string> keys;
  for (int i = 0; i < kNumbers; ++i) keys.push_back(NumberedKey(i));
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<std::string> values(keys.size());
  std::vector<Status> statuses(keys.size());
  (*store)->MultiGet(options, slices, values, statuses);
  for (int i = 0; i < kNumbers; ++i) {
    ASSERT_EQ(statuses[static_cast<std::size_t>(i)].ok(), i % 2 == 0) << i;
  }
}

std::uint64_t HeldByLevels(const StoreStats& stats) {
  std::uint64_t bytes = 0;
  for (const LevelStats& level : stats.levels) bytes += level.filter_bytes;
  return bytes;
}

std::uint64_t Sum(const StoreStats& stats, std::uint64_t LevelStats::*member) {
  std::uint64_t sum = 0;
  for (const LevelStats& level : stats.levels) sum += level.*member;
  return sum;
}

class StoreFilterBudgetOf
    : public ::testing::TestWithParam<std::optional<std::uint64_t>> {};

TEST_P(StoreFilterBudgetOf, NoAnswerDependsOnIt) {
  TestStore store(LimitedOptions(GetParam()));
  FillWithEven(&store);
  for (int i = 0; i < 2; ++i) {
    ExpectEven(&store);
    ExpectEven(&store, {.expect_hit = true});
    const StoreStats stats = store->Stats();
    EXPECT_EQ(stats.filter_memory_limit, GetParam());
    EXPECT_LE(stats.filter_memory_held, GetParam().value_or(~std::uint64_t{0}));
    EXPECT_LE(HeldByLevels(stats), stats.filter_memory_held);
    store.Reopen();
  }
  store.Compact();
  ExpectEven(&store);
}

INSTANTIATE_TEST_SUITE_P(Limits, StoreFilterBudgetOf,
                         ::testing::Values(std::nullopt, 0, 1, 100, 1000, 2000,
                                           3000, 5000, 20000,
                                           ~std::uint64_t{0} - 1));

TEST(StoreFilterBudget, NothingIsHeldWithoutMemory) {
  TestStore store(LimitedOptions(0));
  FillWithEven(&store);
  ExpectEven(&store);
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.filter_memory_held, 0u);
  EXPECT_EQ(Sum(stats, &LevelStats::filters_loaded), 0u);
  EXPECT_EQ(stats.filters().probes, 0u);
}

TEST(StoreFilterBudget, LessMemoryIsGivenBackAtOnceAndComesBack) {
  StoreOptions options = SmallOptions();
  options.filter = "bloom:12,fold=8";
  TestStore store(options);
  FillWithEven(&store);
  ExpectEven(&store);
  const std::uint64_t all = store->Stats().filter_memory_held;
  ASSERT_GT(all, 3000u);
  const std::uint64_t filters =
      Sum(store->Stats(), &LevelStats::filters_loaded);
  std::uint64_t folded = 0;
  for (const std::uint64_t limit :
       {all, all * 3 / 4, all / 2, all / 4, std::uint64_t{0}, all / 3}) {
    ASSERT_TRUE(store->SetFilterMemory(limit).ok());
    const StoreStats stats = store->Stats();
    EXPECT_LE(stats.filter_memory_held, limit);
    EXPECT_EQ(HeldByLevels(stats), stats.filter_memory_held);
    // Little of it is left unused.
    EXPECT_GE(stats.filter_memory_held + all / 8, limit);
    EXPECT_EQ(Sum(stats, &LevelStats::filters_loaded) +
                  Sum(stats, &LevelStats::filters_dropped),
              filters);
    folded += Sum(stats, &LevelStats::filters_folded);
    ExpectEven(&store);
  }
  EXPECT_GT(folded, 0u);
  ASSERT_TRUE(store->SetFilterMemory(std::nullopt).ok());
  EXPECT_EQ(store->Stats().filter_memory_held, all);
  EXPECT_EQ(Sum(store->Stats(), &LevelStats::filters_folded), 0u);
  ExpectEven(&store);
}

// A ribbon cannot be folded.
TEST(StoreFilterBudget, FiltersThatCannotBeFoldedAreDropped) {
  StoreOptions options = SmallOptions();
  options.filter = "ribbon:8";
  TestStore store(options);
  FillWithEven(&store);
  ExpectEven(&store);
  const std::uint64_t all = store->Stats().filter_memory_held;
  ASSERT_TRUE(store->SetFilterMemory(all / 2).ok());
  const StoreStats stats = store->Stats();
  EXPECT_LE(stats.filter_memory_held, all / 2);
  EXPECT_GT(Sum(stats, &LevelStats::filters_dropped), 0u);
  EXPECT_GT(Sum(stats, &LevelStats::filters_loaded), 0u);
  EXPECT_EQ(Sum(stats, &LevelStats::filters_folded), 0u);
  ExpectEven(&store);
}

// Tables that a compaction has replaced stay as long as an iterator has them,
// their filters do not.
TEST(StoreFilterBudget, AnIteratorKeepsNoFilters) {
  TestStore store(LimitedOptions(4000));
  FillWithEven(&store);
  ExpectEven(&store);
  const std::unique_ptr<Iterator> iterator = store->NewIterator();
  iterator->SeekToFirst();
  store.Compact();
  ASSERT_TRUE(store->SetFilterMemory(4000).ok());
  ExpectEven(&store);
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.filter_memory_held, HeldByLevels(stats));
  int entries = 0;
  for (; iterator->Valid(); iterator->Next()) ++entries;
  EXPECT_EQ(entries, kNumbers / 2);
}

TEST(StoreFilterBudget, TheFilterOfTheLastLevelCanBeSkipped) {
  TestStore store(StillOptions());
  FillWithEven(&store);
  store.Compact();
  store.Put(NumberedKey(0), "again");
  store.Flush();
  const auto last = [&] {
    const StoreStats stats = store->Stats();
    for (int i = kStoreLevels - 1; i > 0; --i) {
      const LevelStats& level = stats.levels[static_cast<std::size_t>(i)];
      if (level.tables > 0) return level;
    }
    return LevelStats();
  };
  ASSERT_EQ(store->Stats().levels[0].tables, 1u);
  ASSERT_EQ(last().tables, 1u);
  ExpectEven(&store);
  const std::uint64_t before = last().filters.probes;
  EXPECT_GT(before, 0u);
  ExpectEven(&store, {.expect_hit = true});
  EXPECT_EQ(last().filters.probes, before);
  EXPECT_GT(last().unfiltered, 0u);
}

TEST(StoreFilterBudget, EveryLevelHasItsOwnFilters) {
  StoreOptions options = StillOptions();
  options.filter_per_level = {"bloom:16", "ribbon:6", ""};
  TestStore store(options);
  FillWithEven(&store);
  store.Compact();
  store.Put(NumberedKey(0), "again");
  store.Flush();
  const auto tables = ListStoreTables(TestStore::dir(), store.options());
  ASSERT_TRUE(tables.ok());
  ASSERT_EQ(tables->size(), 2u);
  EXPECT_EQ(tables->at(0).level, 0);
  EXPECT_EQ(tables->at(0).filter, "bloom");
  EXPECT_EQ(tables->at(1).level, 1);
  EXPECT_EQ(tables->at(1).filter, "ribbon");
  ExpectEven(&store);
  // What the store remembers is the same list.
  const auto settings = ReadStoreSettings(TestStore::dir(), &store.env());
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->filter_per_level, options.filter_per_level);
  EXPECT_TRUE(settings->not_understood.empty());
}

TEST(StoreFilterBudget, RefusesListsThatMakeNoSense) {
  const auto code = [](const std::vector<std::string>& list) {
    testing::MemoryEnv env;
    StoreOptions options;
    options.env = &env;
    options.create_if_missing = true;
    options.filter_per_level = list;
    return Store::Open("/x", options).status().code();
  };
  EXPECT_EQ(code({"bloom:10", "nonsense:1"}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"bloom:10", "bloom:m=80000"}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(std::vector<std::string>(kStoreLevels + 1, "bloom:10")),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code(std::vector<std::string>(kStoreLevels, "bloom:10")),
            StatusCode::kOk);
}

// Small levels have better filters.
TEST(StoreFilterBudget, ChoosesSizesByLevel) {
  StoreOptions options = StillOptions();
  options.filter_memory_bytes = kNumbers / 2;  // 8 bits per key
  TestStore store(options);
  FillWithEven(&store);
  store.Compact();
  for (int i = 0; i < 100; i += 2) store.Put(NumberedKey(i), "again");
  store.Flush();
  ExpectEven(&store);
  const auto tables = ListStoreTables(TestStore::dir(), store.options());
  ASSERT_TRUE(tables.ok());
  ASSERT_EQ(tables->size(), 2u);
  EXPECT_LT(tables->at(0).filter_rate * 3, tables->at(1).filter_rate);
  EXPECT_LE(store->Stats().filter_memory_held, *options.filter_memory_bytes);
}

TEST(StoreFilterBudget, CountsSurviveARestart) {
  TestStore store(LimitedOptions(5000));
  FillWithEven(&store);
  ExpectEven(&store);
  store.Close();
  const std::string path = TestStore::dir() + "/TAMIS";
  const std::string file = store.env().Contents(path);
  EXPECT_NE(file.find("\nasked = 12000 "), std::string::npos) << file;
  store.Open();
  store.Close();
  const std::string halved = store.env().Contents(path);
  EXPECT_NE(halved.find("\nasked = 6000 "), std::string::npos) << halved;
  const auto settings = ReadStoreSettings(TestStore::dir(), &store.env());
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->filter_memory_bytes, 5000u);
}

// Whatever memory fails, the limit holds and all keys are there.
TEST(StoreFilterBudget, ALackOfMemoryHidesNothing) {
  TestStore store(LimitedOptions(6000));
  FillWithEven(&store);
  ExpectEven(&store);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t limit = i % 2 == 0 ? 1000 : 6000;
    testing::AllowAllocations(i);
    const Status set = store->SetFilterMemory(limit);
    testing::AllowAllocations(-1);
    EXPECT_TRUE(!set.ok() || store->Stats().filter_memory_held <= limit);
    if (i % 20 == 0) ExpectEven(&store);
  }
  ASSERT_TRUE(store->SetFilterMemory(1000).ok());
  EXPECT_LE(store->Stats().filter_memory_held, 1000u);
  ExpectEven(&store);
}

// The same beside lookups: what they may use is not freed.
TEST(StoreFilterBudget, ALackOfMemoryFreesNothingThatIsUsed) {
  TestStore store(LimitedOptions(6000));
  FillWithEven(&store);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::thread reader([&] {
    for (int i = 0; !stop; i = (i + 1) % kNumbers) {
      // It may fail for lack of memory, too.
      const StatusCode code = store->Get(NumberedKey(i)).status().code();
      const StatusCode never =
          i % 2 == 0 ? StatusCode::kNotFound : StatusCode::kOk;
      if (code == never) ++wrong;
    }
  });
  for (int i = 0; i < 400; ++i) {
    testing::AllowAllocations(i % 100);
    (void)store->SetFilterMemory(i % 2 == 0 ? 500 : 6000);
    testing::AllowAllocations(-1);
  }
  stop = true;
  reader.join();
  EXPECT_EQ(wrong, 0);
}

// Readers, a writer and a thread that changes the limit; another one watches.
// Filters that there is room for again are on a slow disk.
class SlowFilters {
 public:
  SlowFilters() {
    store_.options().filter_per_level = {""};
    store_.options().env = &gate_;
    store_.Reopen();
    FillWithEven(&store_);
    store_.Compact();
    store_.Close();
    StoreOptions good = store_.options();
    good.filter_per_level = {"bloom:12"};
    const auto made = MakeFilterFiles(TestStore::dir(), good);
    EXPECT_TRUE(made.ok() && made->made > 0);
    store_.options().filter_memory_bytes = 0;
    store_.Open();
    ExpectEven(&store_);
    EXPECT_EQ(store_->Stats().filter_memory_held, 0u);
    gate_.CloseFor([](const std::string& path, std::uint64_t /*offset*/) {
      return path.ends_with(".filter");
    });
    raises_ = std::thread(
        [this] { EXPECT_TRUE(store_->SetFilterMemory(std::nullopt).ok()); });
    EXPECT_TRUE(gate_.WaitForReader());
  }
  void LetThemCome() {
    gate_.OpenGate();
    raises_.join();
    EXPECT_FALSE(gate_.was_forced());
  }
  TestStore& store() { return store_; }

 private:
  TestStore store_{StillOptions()};
  testing::GateEnv gate_{store_.env()};
  std::thread raises_;
};

TEST(StoreFilterBudgetThreads, AFlushDoesNotWaitForFiltersThatAreLoaded) {
  SlowFilters slow;
  TestStore& store = slow.store();
  for (int i = 0; i < 3; ++i) {
    store.Put("flushed", std::to_string(i));
    store.Flush();
  }
  EXPECT_EQ(store.Get("flushed"), "2");
  ExpectEven(&store);
  slow.LetThemCome();
  ExpectEven(&store);
  EXPECT_GT(store->Stats().filter_memory_held, 0u);
  store.Close();
}

TEST(StoreFilterBudgetThreads, ATableMayGoWhileItsFilterIsLoaded) {
  SlowFilters slow;
  TestStore& store = slow.store();
  store.Put(NumberedKey(0), "again");
  store.Put(NumberedKey(kNumbers - 2), "again");
  store.Compact();
  ExpectEven(&store);
  slow.LetThemCome();
  ExpectEven(&store);
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.filter_memory_held, HeldByLevels(stats));
  EXPECT_TRUE(store.Files(".filter").empty());
  store.Close();
}

TEST(StoreFilterBudgetThreads, TheLimitHoldsUnderLoad) {
  constexpr std::uint64_t kMost = 6000;
  StoreOptions options = LimitedOptions(kMost);
  options.filter_loading = FilterLoading::kInBackground;
  TestStore store(options);
  FillWithEven(&store);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> most_held{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      while (!stop) {
        const int i = static_cast<int>(random() % kNumbers);
        // Only even keys are ever written, and none is deleted.
        const bool found = store->Get(NumberedKey(i)).ok();
        if (found != (i % 2 == 0)) ++wrong;
      }
    });
  }
  threads.emplace_back([&] {
    while (!stop) {
      const std::uint64_t held = store->Stats().filter_memory_held;
      if (held > most_held) most_held = held;
    }
  });
  threads.emplace_back([&] {
    for (int i = 0; !stop; ++i) {
      const std::uint64_t limit = kMost / (1u << i % 4);
      if (!store->SetFilterMemory(limit).ok()) ++wrong;
      // Only this thread raises it.
      if (store->Stats().filter_memory_held > limit) ++wrong;
    }
  });
  for (int i = 0; i < 3 * kNumbers; i += 2) {
    store.Put(NumberedKey(i * 7919 % kNumbers), std::to_string(i));
  }
  store.Flush();
  EXPECT_TRUE(store->WaitForQuiet().ok());
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(most_held, 0u);
  EXPECT_LE(most_held, kMost);
  ExpectEven(&store);
}

}  // namespace
}  // namespace tamis
