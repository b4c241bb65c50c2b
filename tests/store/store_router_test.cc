// SPDX-License-Identifier: Apache-2.0
// The router of level 0: no answer depends on it, whatever happens to it.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/gate_env.h"
#include "tests/store/stores.h"
#include "tests/support/failing_new.h"

namespace tamis {
namespace {

using testing::NumberKey;
using testing::StillOptions;
using testing::TestStore;

using Model = std::map<std::string, std::string>;

StoreOptions OverlappingOptions() {
  StoreOptions options = StillOptions();
  options.level0_slow_at = 10'000;
  options.level0_stop_at = 10'000;
  options.level0_route_at = 4;
  options.block_bytes = 512;
  options.background_niceness = 0;
  return options;
}

constexpr std::uint64_t kUniverse = 2000;

// Adds tables to level 0, each with keys from all over the universe, and some
// deletions.
void AddTables(int count, std::mt19937_64* random, TestStore* store,
               Model* model, int keys = 60) {
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < keys; ++j) {
      const std::string key = NumberKey((*random)() % kUniverse);
      if ((*random)() % 8 == 0) {
        store->Delete(key);
        model->erase(key);
      } else {
        const std::string value = std::to_string((*random)());
        store->Put(key, value);
        (*model)[key] = value;
      }
    }
    store->Flush();
  }
}

void ExpectModel(TestStore* store, const Model& model,
                 const ReadOptions& options = {}) {
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < kUniverse; ++i) keys.push_back(NumberKey(i));
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<std::string> values(keys.size());
  std::vector<Status> statuses(keys.size());
  (*store)->MultiGet(options, slices, values, statuses);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto found = model.find(keys[i]);
    const Result<std::string> got = (*store)->Get(options, keys[i]);
    if (found == model.end()) {
      ASSERT_EQ(got.status().code(), StatusCode::kNotFound) << keys[i];
      ASSERT_EQ(statuses[i].code(), StatusCode::kNotFound) << keys[i];
    } else {
      ASSERT_TRUE(got.ok()) << keys[i] << got.status().ToString();
      ASSERT_EQ(*got, found->second);
      ASSERT_TRUE(statuses[i].ok()) << keys[i];
      ASSERT_EQ(values[i], found->second);
    }
  }
}

// Lookups make the store want a router; then it is there, if it is to be.
void Settle(TestStore* store) {
  for (int i = 0; i < 128; ++i) (void)(*store)->Get("no such key");
  ASSERT_TRUE((*store)->WaitForQuiet().ok());
}

struct Settings {
  const char* name;
  unsigned route_at = 4;
  FilterUse use = FilterUse::kOn;
  std::string filter = "bloom:10";
  std::optional<std::uint64_t> limit = {};
  FilterLoading loading = FilterLoading::kWhenFirstAsked;
  const Comparator* comparator = &BytewiseComparator();
};

const testing::Backwards kBackwards;

class StoreRouterWith : public ::testing::TestWithParam<Settings> {};

TEST_P(StoreRouterWith, NoAnswerDependsOnIt) {
  const Settings& settings = GetParam();
  StoreOptions options = OverlappingOptions();
  options.level0_route_at = settings.route_at;
  options.filter_use = settings.use;
  options.filter = settings.filter;
  options.filter_memory_bytes = settings.limit;
  options.filter_loading = settings.loading;
  options.comparator = settings.comparator;
  TestStore store(options);
  std::mt19937_64 random(7);
  Model model;
  AddTables(12, &random, &store, &model);
  const Model then = model;
  const std::unique_ptr<const Snapshot> snapshot = store->GetSnapshot();
  Settle(&store);
  AddTables(20, &random, &store, &model);
  ExpectModel(&store, model);
  Settle(&store);
  ExpectModel(&store, model);
  ExpectModel(&store, model, {.expect_hit = true});
  ExpectModel(&store, then, {.snapshot = snapshot.get()});
  const StoreStats stats = store->Stats();
  const bool is_there = settings.route_at > 0 &&
                        settings.use != FilterUse::kOff &&
                        settings.limit.value_or(1 << 30) > 10'000;
  EXPECT_EQ(stats.router_bytes > 0, is_there);
  EXPECT_EQ(stats.router_entries > 0, is_there);
  EXPECT_EQ(stats.router_lookups > 0, is_there);
  EXPECT_LE(stats.filter_memory_held,
            settings.limit.value_or(~std::uint64_t{0}));
  if (is_there) {
    // Most of the 32 tables do not have a key.
    EXPECT_GT(stats.router_absent, 10 * stats.router_lookups);
  }
  if (settings.use == FilterUse::kAlwaysMaybe) {
    // It was not believed.
    EXPECT_GT(stats.levels[0].tables_read, stats.router_lookups * 5);
  }
  // And when some of the tables are gone.
  store.Compact();
  AddTables(2, &random, &store, &model);
  ExpectModel(&store, model);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, StoreRouterWith,
    ::testing::Values(
        Settings{.name = "on"}, Settings{.name = "never", .route_at = 0},
        Settings{.name = "one", .route_at = 1},
        Settings{.name = "off", .use = FilterUse::kOff},
        Settings{.name = "maybe", .use = FilterUse::kAlwaysMaybe},
        Settings{.name = "ribbon", .filter = "ribbon:8"},
        Settings{.name = "unfiltered", .filter = ""},
        Settings{.name = "nothing", .limit = 0},
        Settings{.name = "byte", .limit = 1},
        Settings{.name = "little", .limit = 6000},
        Settings{.name = "plenty", .limit = std::uint64_t{1} << 40},
        Settings{.name = "background", .loading = FilterLoading::kInBackground},
        Settings{.name = "backwards", .comparator = &kBackwards}),
    [](const auto& settings) { return settings.param.name; });

TEST(StoreRouter, AMissingKeyAsksHardlyAnyFilter) {
  TestStore store(OverlappingOptions());
  std::mt19937_64 random(1);
  Model model;
  AddTables(40, &random, &store, &model);
  Settle(&store);
  const StoreStats before = store->Stats();
  EXPECT_EQ(before.levels[0].tables, 40u);
  constexpr std::uint64_t kLookups = 4000;
  for (std::uint64_t i = 0; i < kLookups; ++i) {
    EXPECT_FALSE(store->Get(NumberKey(i % kUniverse) + "x").ok());
  }
  const StoreStats after = store->Stats();
  EXPECT_EQ(after.router_lookups - before.router_lookups, kLookups);
  EXPECT_GT(after.router_absent - before.router_absent, 39 * kLookups);
  EXPECT_LT(after.filters().probes - before.filters().probes, kLookups / 4);
  EXPECT_EQ(after.router_ask_all, 0u);
  // From 2.9 bytes per entry to half as many again.
  EXPECT_GT(after.router_bytes, after.router_entries * 29 / 10);
  EXPECT_LT(after.router_bytes, after.router_entries * 46 / 10);
}

TEST(StoreRouter, IsNotThereBeforeThereAreLookups) {
  TestStore store(OverlappingOptions());
  std::mt19937_64 random(2);
  Model model;
  AddTables(8, &random, &store, &model);
  ASSERT_TRUE(store->WaitForQuiet().ok());
  EXPECT_EQ(store->Stats().router_bytes, 0u);
  Settle(&store);
  EXPECT_GT(store->Stats().router_bytes, 0u);
  store.Reopen();
  ASSERT_TRUE(store->WaitForQuiet().ok());
  EXPECT_EQ(store->Stats().router_bytes, 0u);
  Settle(&store);
  EXPECT_GT(store->Stats().router_bytes, 0u);
  ExpectModel(&store, model);
}

TEST(StoreRouter, LeavesNothingOnDisk) {
  TestStore store(OverlappingOptions());
  std::mt19937_64 random(2);
  Model model;
  AddTables(8, &random, &store, &model);
  ASSERT_TRUE(store->WaitForQuiet().ok());
  testing::Files before = testing::FilesOf(&store.env());
  Settle(&store);
  EXPECT_GT(store->Stats().router_bytes, 0u);
  EXPECT_EQ(testing::FilesOf(&store.env()), before);
}

TEST(StoreRouter, GrowsWithTheTables) {
  TestStore store(OverlappingOptions());
  std::mt19937_64 random(3);
  Model model;
  std::uint64_t bytes = 0;
  for (int i = 0; i < 4; ++i) {
    AddTables(i < 2 ? 4 : 40, &random, &store, &model, 20);
    Settle(&store);
    ExpectModel(&store, model);
    const StoreStats stats = store->Stats();
    EXPECT_GE(stats.router_bytes, bytes);
    bytes = stats.router_bytes;
    EXPECT_EQ(stats.filter_memory_held,
              stats.levels[0].filter_bytes + stats.router_bytes);
  }
  // No label is left of the first 128: others are found.
  EXPECT_EQ(store.TablesAt(0), 88u);
  EXPECT_GT(bytes, 4000u);
}

TEST(StoreRouter, IsDroppedWithTheTables) {
  TestStore store(OverlappingOptions());
  std::mt19937_64 random(4);
  Model model;
  AddTables(20, &random, &store, &model);
  Settle(&store);
  const std::unique_ptr<Iterator> iterator = store->NewIterator();
  EXPECT_GT(store->Stats().router_bytes, 0u);
  store.Compact();
  ASSERT_TRUE(store->WaitForQuiet().ok());
  EXPECT_EQ(store->Stats().router_bytes, 0u);
  ExpectModel(&store, model);
  AddTables(20, &random, &store, &model);
  ASSERT_TRUE(store->WaitForQuiet().ok());
  EXPECT_GT(store->Stats().router_bytes, 0u);
  ExpectModel(&store, model);
}

TEST(StoreRouter, AKeyInEveryTableIsFoundAndCostsTheOthersNothing) {
  TestStore store(OverlappingOptions());
  std::mt19937_64 random(5);
  Model model;
  for (int i = 0; i < 100; ++i) {
    AddTables(1, &random, &store, &model, 20);
    store.Put(NumberKey(3), std::to_string(i));
    store.Flush();
  }
  model[NumberKey(3)] = "99";
  Settle(&store);
  ExpectModel(&store, model);
  const StoreStats stats = store->Stats();
  EXPECT_GT(stats.router_bytes, 0u);
  EXPECT_GT(stats.router_ask_all, 0u);
  EXPECT_LT(stats.router_ask_all, stats.router_lookups / 20);
  store.Delete(NumberKey(3));
  store.Flush();
  ASSERT_TRUE(store->WaitForQuiet().ok());
  EXPECT_EQ(store.Get(NumberKey(3)), "(none)");
}

TEST(StoreRouter, KeysThatAreInAllTablesGetNone) {
  TestStore store(OverlappingOptions());
  Model model;
  for (int i = 0; i < 100; ++i) {
    for (std::uint64_t j = 0; j < 30; ++j) {
      store.Put(NumberKey(j), std::to_string(i));
      model[NumberKey(j)] = std::to_string(i);
    }
    store.Flush();
  }
  Settle(&store);
  EXPECT_EQ(store->Stats().router_bytes, 0u);
  ExpectModel(&store, model);
}

TEST(StoreRouter, ALimitThatComesDropsItAtOnce) {
  TestStore store(OverlappingOptions());
  std::mt19937_64 random(6);
  Model model;
  AddTables(20, &random, &store, &model);
  for (int i = 0; i < 3; ++i) {
    Settle(&store);
    const StoreStats stats = store->Stats();
    EXPECT_GT(stats.router_bytes, 0u);
    // A quarter of it would be too little.
    const std::uint64_t limit = i == 0 ? 0 : stats.router_bytes * 4 - 1;
    ASSERT_TRUE(store->SetFilterMemory(limit).ok());
    EXPECT_EQ(store->Stats().router_bytes, 0u);
    EXPECT_LE(store->Stats().filter_memory_held, limit);
    ExpectModel(&store, model);
    Settle(&store);
    EXPECT_EQ(store->Stats().router_bytes, 0u);
    ASSERT_TRUE(store->SetFilterMemory(std::nullopt).ok());
  }
}

// Filters give up what the router takes.
TEST(StoreRouter, SharesTheMemoryWithTheFilters) {
  StoreOptions options = OverlappingOptions();
  options.filter = "bloom:24,fold=8";
  TestStore store(options);
  std::mt19937_64 random(6);
  Model model;
  AddTables(30, &random, &store, &model);
  store.Compact();
  AddTables(8, &random, &store, &model, 20);
  ExpectModel(&store, model);
  Settle(&store);
  const StoreStats all = store->Stats();
  const std::uint64_t limit = all.router_bytes * 4 + 100;
  ASSERT_LT(limit, all.filter_memory_held);
  ASSERT_TRUE(store->SetFilterMemory(limit).ok());
  Settle(&store);
  const StoreStats stats = store->Stats();
  EXPECT_GT(stats.router_bytes, 0u);
  EXPECT_LE(stats.filter_memory_held, limit);
  const LevelStats& below = stats.levels[1];
  EXPECT_EQ(
      stats.levels[0].filter_bytes + below.filter_bytes + stats.router_bytes,
      stats.filter_memory_held);
  EXPECT_GT(below.filters_folded + below.filters_dropped, 0u);
  ExpectModel(&store, model);
}

TEST(StoreRouter, ATableThatCannotBeReadIsAskedAlways) {
  TestStore store(OverlappingOptions());
  std::mt19937_64 random(8);
  Model model;
  AddTables(1, &random, &store, &model, 400);
  AddTables(12, &random, &store, &model, 20);
  store.Close();
  const std::string first = store.Files(".ldb").front();
  std::string bytes = store.env().Contents(first);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  store.env().SetContents(first, bytes);
  store.Open();
  // Whatever can be read now can be read with a router.
  const auto read = [&] {
    std::vector<std::string> answers;
    for (std::uint64_t i = 0; i < kUniverse; ++i) {
      answers.push_back(store.Get(NumberKey(i)));
    }
    return answers;
  };
  const std::vector<std::string> before = read();
  Settle(&store);
  EXPECT_GT(store->Stats().router_bytes, 0u);
  EXPECT_EQ(read(), before);
  EXPECT_GT(store->Stats().router_absent, 0u);
}

TEST(StoreRouter, ALackOfMemoryHidesNothing) {
  TestStore store(OverlappingOptions());
  std::mt19937_64 random(9);
  Model model;
  AddTables(12, &random, &store, &model);
  Settle(&store);
  for (int i = 0; i < 60; ++i) {
    testing::AllowAllocations(i * 5);
    (void)store->SetFilterMemory(i % 2 == 0 ? 0 : std::uint64_t{1} << 30);
    for (int j = 0; j < 70; ++j) (void)store->Get("no such key");
    (void)store->WaitForQuiet();
    testing::AllowAllocations(-1);
    if (i % 10 == 0) {
      AddTables(1, &random, &store, &model);
      ExpectModel(&store, model);
    }
  }
  ASSERT_TRUE(store->SetFilterMemory(std::nullopt).ok());
  Settle(&store);
  ExpectModel(&store, model);
  EXPECT_GT(store->Stats().router_bytes, 0u);
}

TEST(StoreRouter, ExplainTellsWhatItRulesOut) {
  TestStore store(OverlappingOptions());
  std::mt19937_64 random(10);
  Model model;
  AddTables(12, &random, &store, &model);
  Settle(&store);
  const Explanation told = store->Explain({}, NumberKey(kUniverse / 2) + "x");
  int ruled_out = 0;
  for (const LookupStep& step : told.steps) {
    if (step.note.find("the router rules it out") != std::string::npos) {
      ++ruled_out;
    }
  }
  EXPECT_GE(ruled_out, 11);
}

// Readers find every key at every moment, while tables come and go, and the
// limit changes.
// The router's thread cannot read the table that came last.
class StoreRouterBehind : public ::testing::Test {
 protected:
  void SetUp() override {
    store_.Close();
    store_.options().env = &gate_;
    store_.Open();
    AddTables(20, &random_, &store_, &model_);
    Settle(&store_);
    ASSERT_GT(store_->Stats().router_bytes, 0u);
    const std::string last = store_.Files(".ldb").back();
    // Flushing reads the end of a new table, not the start of it.
    gate_.CloseFor([last](const std::string& path, std::uint64_t offset) {
      return path.ends_with(".ldb") && path > last && offset == 0;
    });
    AddTables(1, &random_, &store_, &model_);
    ASSERT_TRUE(gate_.WaitForReader());
  }
  void TearDown() override {
    gate_.OpenGate();
    EXPECT_FALSE(gate_.was_forced());
    store_.Close();
  }

  TestStore store_{OverlappingOptions()};
  testing::GateEnv gate_{store_.env()};
  std::mt19937_64 random_{9};
  Model model_;
};

TEST_F(StoreRouterBehind, RoutesOfOtherTablesStay) {
  const StoreStats before = store_->Stats();
  constexpr std::uint64_t kLookups = 500;
  for (std::uint64_t i = 0; i < kLookups; ++i) {
    EXPECT_FALSE(store_->Get(NumberKey(i) + "x").ok());
  }
  const StoreStats after = store_->Stats();
  EXPECT_EQ(after.router_lookups - before.router_lookups, kLookups);
  EXPECT_GT(after.router_absent - before.router_absent, 19 * kLookups);
  ExpectModel(&store_, model_);
}

TEST_F(StoreRouterBehind, ALimitDropsItWithoutWaitingForItsThread) {
  ASSERT_TRUE(store_->SetFilterMemory(0).ok());
  EXPECT_EQ(store_->Stats().router_bytes, 0u);
  EXPECT_EQ(store_->Stats().filter_memory_held, 0u);
  ExpectModel(&store_, model_);
}

TEST(StoreRouterThreads, NoKeyIsHiddenWhileItChanges) {
  StoreOptions options = OverlappingOptions();
  options.filter_loading = FilterLoading::kInBackground;
  TestStore store(options);
  constexpr std::uint64_t kKeys = 500;
  const auto put_some = [&](std::uint64_t number) {
    for (std::uint64_t i = number % 10; i < kKeys; i += 10) {
      store.Put(NumberKey(i), std::to_string(number));
    }
    store.Flush();
  };
  for (std::uint64_t i = 0; i < 20; ++i) put_some(i);
  std::atomic<bool> is_over{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (unsigned t = 0; t < 2; ++t) {
    readers.emplace_back([&, t] {
      std::mt19937_64 random(t);
      std::vector<std::string> keys(40);
      std::vector<std::string> values(keys.size());
      std::vector<Status> statuses(keys.size());
      while (!is_over) {
        for (std::string& key : keys) key = NumberKey(random() % kKeys);
        const std::vector<Slice> slices(keys.begin(), keys.end());
        store->MultiGet({}, slices, values, statuses);
        for (const Status& status : statuses) wrong += status.ok() ? 0 : 1;
        for (const std::string& key : keys) {
          wrong += store->Get(key).ok() ? 0 : 1;
          wrong += store->Get(key + "x").ok() ? 1 : 0;
        }
      }
    });
  }
  for (std::uint64_t i = 20; i < 60; ++i) {
    put_some(i);
    if (i % 4 == 3) {
      std::optional<std::uint64_t> limit;
      if (i % 8 == 3) limit = i * 20;
      EXPECT_TRUE(store->SetFilterMemory(limit).ok());
    }
    if (i % 20 == 19) store.Compact();
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(store->Stats().router_lookups, 0u);
}

}  // namespace
}  // namespace tamis
