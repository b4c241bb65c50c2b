// SPDX-License-Identifier: Apache-2.0
// Filters that are stored in parts: no answer depends on them, whatever memory
// there is, and whatever of them is damaged.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "formats/tamis/line_view.h"
#include "math/fast_range.h"
#include "table/filter_parts.h"
#include "tamis/store.h"
#include "tamis/store_settings.h"
#include "tamis/store_tables.h"
#include "tests/store/stores.h"
#include "tests/store/table_parts.h"
#include "tests/support/failing_new.h"

namespace tamis {
namespace {

using testing::StillOptions;
using testing::TestStore;

constexpr int kPartedKeys = 12000;
constexpr std::uint64_t kOneSlab = 70'000;  // of parts in memory

std::string PartedKey(int number) {
  std::string digits = std::to_string(number);
  return "key" + std::string(8 - digits.size(), '0') + digits;
}

// One table, whose filter has some 40 parts.
StoreOptions PartsOptions(std::optional<std::uint64_t> bytes) {
  StoreOptions options = StillOptions();
  options.filter_per_level = {"bloom:200"};
  options.filter_parts_above = 1;
  options.filter_memory_bytes = bytes;
  options.filter_seed = FilterSeed::kFixed;
  return options;
}

// Even numbers: the odd ones are absent, and within the range.
void FillParted(TestStore* store) {
  for (int i = 0; i < kPartedKeys; i += 2) store->Put(PartedKey(i), "value");
  store->Compact();
}

void ExpectEvenKeys(TestStore* store) {
  std::vector<std::string> keys;
  for (int i = 0; i < kPartedKeys; ++i) keys.push_back(PartedKey(i));
  for (int i = 0; i < kPartedKeys; ++i) {
    ASSERT_EQ((*store)->Get(keys[static_cast<std::size_t>(i)]).ok(), i % 2 == 0)
        << i;
  }
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<std::string> values(keys.size());
  std::vector<Status> statuses(keys.size());
  (*store)->MultiGet({}, slices, values, statuses);
  for (int i = 0; i < kPartedKeys; ++i) {
    const Status& status = statuses[static_cast<std::size_t>(i)];
    ASSERT_EQ(status.ok(), i % 2 == 0) << i;
    ASSERT_TRUE(status.ok() || status.code() == StatusCode::kNotFound);
  }
}

std::uint64_t OverLevels(const StoreStats& stats,
                         std::uint64_t LevelStats::*member) {
  std::uint64_t sum = 0;
  for (const LevelStats& level : stats.levels) sum += level.*member;
  return sum;
}
std::uint64_t FiltersInParts(TestStore* store) {
  return OverLevels((*store)->Stats(), &LevelStats::filters_in_parts);
}
std::uint64_t PartsRead(TestStore* store) {
  return OverLevels((*store)->Stats(), &LevelStats::filter_parts_read);
}
std::uint64_t BlocksRead(TestStore* store) {
  return OverLevels((*store)->Stats(), &LevelStats::blocks_read);
}

std::vector<std::string> ProblemsOf(TestStore* store) {
  const auto check = CheckStore(TestStore::dir(), store->options());
  EXPECT_TRUE(check.ok());
  return check.ok() ? check->problems : std::vector<std::string>();
}

// What is stored in the only table.
struct StoredParts {
  std::string path;
  BlockHandle handle;
  std::string table;  // its bytes

  explicit StoredParts(TestStore* store) {
    path = store->Files(".ldb").at(0);
    handle = testing::PartsOf(&store->env(), path).filter_top;
    table = store->env().Contents(path);
  }
  FilterPartsTop top() const {
    return *ParsePartsTop(Slice(table).substr(handle.offset, handle.size),
                          table.size());
  }
  char* part(std::uint64_t i) { return table.data() + top().OffsetOf(i); }
};

// ---- answers

class StoreFilterPartsOf
    : public ::testing::TestWithParam<std::optional<std::uint64_t>> {};

TEST_P(StoreFilterPartsOf, NoAnswerDependsOnThem) {
  TestStore store(PartsOptions(GetParam()));
  FillParted(&store);
  for (const FilterUse use :
       {FilterUse::kOn, FilterUse::kAlwaysMaybe, FilterUse::kOff}) {
    store.options().filter_use = use;
    store.Reopen();
    ExpectEvenKeys(&store);
    const StoreStats stats = store->Stats();
    EXPECT_LE(stats.filter_memory_held, GetParam().value_or(~std::uint64_t{0}));
    EXPECT_EQ(stats.damaged_filters, 0u);
    EXPECT_EQ(stats.damaged_filter_parts, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Limits, StoreFilterPartsOf,
                         ::testing::Values(std::nullopt, 0, 1, 300, 2000,
                                           kOneSlab, 2 * kOneSlab,
                                           ~std::uint64_t{0} - 1));

TEST(StoreFilterParts, AreHeldWhollyWhereThereIsMemory) {
  TestStore store(PartsOptions(std::nullopt));
  FillParted(&store);
  ExpectEvenKeys(&store);
  EXPECT_EQ(StoredParts(&store).top().part_count(), 37u);
  EXPECT_EQ(FiltersInParts(&store), 0u);
  EXPECT_EQ(PartsRead(&store), 0u);
  EXPECT_EQ(OverLevels(store->Stats(), &LevelStats::filters_loaded), 1u);
  EXPECT_EQ(BlocksRead(&store), static_cast<std::uint64_t>(kPartedKeys));
}

TEST(StoreFilterParts, AColdPartCostsOneReadAndAWarmOneNone) {
  TestStore store(PartsOptions(kOneSlab + 2000));
  FillParted(&store);
  store.Reopen();
  const std::uint64_t blocks = BlocksRead(&store);
  EXPECT_FALSE(store->Get(PartedKey(1)).ok());
  EXPECT_EQ(PartsRead(&store), 1u);
  EXPECT_EQ(FiltersInParts(&store), 1u);
  EXPECT_EQ(store->Stats().filter_parts_held,
            store->Stats().filter_memory_held -
                OverLevels(store->Stats(), &LevelStats::filter_bytes));
  EXPECT_FALSE(store->Get(PartedKey(1)).ok());
  EXPECT_EQ(PartsRead(&store), 1u);
  // As many as there is memory for.
  for (int i = 1; i < kPartedKeys; i += 2) {
    EXPECT_FALSE(store->Get(PartedKey(i)).ok());
  }
  EXPECT_GT(PartsRead(&store), 37u);
  EXPECT_LT(PartsRead(&store), static_cast<std::uint64_t>(kPartedKeys) / 2);
  EXPECT_EQ(BlocksRead(&store), blocks);
}

TEST(StoreFilterParts, WithoutMemoryForPartsEachLookupReadsOne) {
  TestStore store(PartsOptions(2000));
  FillParted(&store);
  store.Reopen();
  for (int i = 1; i < 2001; i += 2) {
    EXPECT_FALSE(store->Get(PartedKey(i)).ok());
  }
  EXPECT_EQ(PartsRead(&store), 1000u);
  EXPECT_EQ(BlocksRead(&store), 0u);
  EXPECT_EQ(store->Stats().filter_parts_held, 0u);
  EXPECT_EQ(store->Stats().filters().absent, 1000u);
}

// Others than cache-local ones are stored as ever.
TEST(StoreFilterParts, OtherKindsAreNotCut) {
  StoreOptions options = PartsOptions(std::nullopt);
  options.filter_per_level = {"ribbon:8"};
  TestStore store(options);
  FillParted(&store);
  ExpectEvenKeys(&store);
  EXPECT_EQ(StoredParts(&store).handle.size, 0u);
  EXPECT_EQ(OverLevels(store->Stats(), &LevelStats::filters_loaded), 1u);
}

// Keys at both ends of every part, some of them prefixes of others, with
// several versions, and with some deleted.
TEST(StoreFilterParts, KeysAroundEveryEdgeAreFound) {
  StoreOptions options = PartsOptions(kOneSlab);
  TestStore store(options);
  std::map<std::string, std::string> model;
  for (int version = 0; version < 2; ++version) {
    for (int i = 0; i < 2000; ++i) {
      std::string key = "k" + std::to_string(i);
      for (int longer = 0; longer < 3; ++longer, key += "\xff") {
        store.Put(key, std::to_string(version));
        model[key] = std::to_string(version);
      }
    }
  }
  const std::unique_ptr<const Snapshot> before = store->GetSnapshot();
  for (int i = 0; i < 2000; i += 3) {
    const std::string key = "k" + std::to_string(i) + "\xff";
    store.Delete(key);
    model.erase(key);
  }
  store.Compact();
  const FilterPartsTop top = StoredParts(&store).top();
  std::size_t first = 0;
  std::size_t last = 0;
  auto forward = store->NewIterator();
  forward->SeekToFirst();
  for (const auto& [key, value] : model) {
    const std::uint64_t line =
        FastRange(LineHash(key, top.seed), top.lines) % kLinesPerPart;
    first += line == 0 ? 1 : 0;
    last += line == kLinesPerPart - 1 ? 1 : 0;
    ASSERT_EQ(store.Get(key), value);
    ASSERT_TRUE(forward->Valid());
    ASSERT_EQ(forward->key(), key);
    forward->Next();
  }
  EXPECT_FALSE(forward->Valid());
  EXPECT_GT(first, top.part_count());
  EXPECT_GT(last, top.part_count());
  for (int i = 0; i < 2000; i += 3) {
    const std::string key = "k" + std::to_string(i) + "\xff";
    ASSERT_EQ(store.Get(key), "(none)");
    ASSERT_EQ(store.Get(key, before.get()), "1");
  }
  auto reverse = store->NewIterator();
  reverse->SeekToLast();
  for (auto it = model.rbegin(); it != model.rend(); ++it) {
    ASSERT_TRUE(reverse->Valid());
    ASSERT_EQ(reverse->key(), it->first);
    ASSERT_EQ(store.Get(it->first), it->second);  // between two steps
    reverse->Prev();
  }
  EXPECT_FALSE(reverse->Valid());
}

// ---- damage

// Changes the table, and expects that as many parts are found to be damaged.
template <typename Change>
void ExpectDamagedParts(std::uint64_t parts, const Change& change) {
  for (const std::optional<std::uint64_t> limit :
       {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(2000),
        std::optional<std::uint64_t>(kOneSlab)}) {
    TestStore store(PartsOptions(limit));
    FillParted(&store);
    store.Close();
    StoredParts stored(&store);
    change(&stored);
    store.env().SetContents(stored.path, stored.table);
    store.Open();
    ExpectEvenKeys(&store);
    ExpectEvenKeys(&store);
    const StoreStats stats = store->Stats();
    EXPECT_EQ(stats.damaged_filter_parts, parts);
    EXPECT_EQ(stats.damaged_filters, 0u);
    EXPECT_NE(stats.last_filter_damage.find(stored.path), std::string::npos);
    // What is not in those parts is known to be absent.
    EXPECT_GT(stats.filters().absent, std::uint64_t{kPartedKeys} * 8 / 10);
    store.Close();
    const std::vector<std::string> problems = ProblemsOf(&store);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_NE(problems[0].find("of its parts are damaged"), std::string::npos)
        << problems[0];
  }
}

TEST(StoreFilterParts, APartWithADamagedBitSaysMaybe) {
  ExpectDamagedParts(1, [](StoredParts* stored) { stored->part(3)[100] ^= 4; });
}

TEST(StoreFilterParts, APartThatIsMissingSaysMaybe) {
  ExpectDamagedParts(
      1, [](StoredParts* stored) { std::fill_n(stored->part(7), 4096, '\0'); });
}

TEST(StoreFilterParts, PartsThatChangedPlacesSayMaybe) {
  ExpectDamagedParts(2, [](StoredParts* stored) {
    std::swap_ranges(stored->part(1), stored->part(2), stored->part(20));
  });
}

TEST(StoreFilterParts, TheLastPartMayBeDamaged) {
  ExpectDamagedParts(1, [](StoredParts* stored) {
    *stored->part(stored->top().part_count() - 1) ^= 1;
  });
}

TEST(StoreFilterParts, WithADamagedTopBlockTheTableIsReadWithout) {
  for (const bool is_sealed : {false, true}) {
    TestStore store(PartsOptions(kOneSlab));
    FillParted(&store);
    store.Close();
    StoredParts stored(&store);
    // The version; with a checksum that holds, it is a later writer's.
    stored.table[stored.handle.offset] ^= 2;
    if (is_sealed) testing::Reseal(&stored.table, stored.handle);
    store.env().SetContents(stored.path, stored.table);
    store.Open();
    ExpectEvenKeys(&store);
    EXPECT_EQ(store->Stats().damaged_filters, 1u);
    EXPECT_EQ(store->Stats().filters().probes, 0u);
    EXPECT_FALSE(ProblemsOf(&store).empty());
  }
}

// ---- memory

TEST(StoreFilterParts, FollowEveryLimit) {
  TestStore store(PartsOptions(std::nullopt));
  FillParted(&store);
  ExpectEvenKeys(&store);
  const std::uint64_t all = store->Stats().filter_memory_held;
  struct Case {
    std::optional<std::uint64_t> limit;
    std::uint64_t in_parts;
    std::uint64_t filters;  // in memory
  };
  const Case cases[] = {
      {kOneSlab, 1, 1},
      {0, 0, 0},
      {all * 2, 0, 1},
      {2000, 1, 1},
      {1, 0, 0},
      {kOneSlab, 1, 1},
      {std::nullopt, 0, 1},
      {2 * kOneSlab, 1, 1},
      {all - 1, 1, 1},
      {all * 2, 0, 1},
  };
  for (const Case& one : cases) {
    ASSERT_TRUE(store->SetFilterMemory(one.limit).ok());
    ExpectEvenKeys(&store);
    const StoreStats stats = store->Stats();
    const std::uint64_t limit = one.limit.value_or(~std::uint64_t{0});
    EXPECT_LE(stats.filter_memory_held, limit);
    EXPECT_EQ(FiltersInParts(&store), one.in_parts) << limit;
    EXPECT_EQ(OverLevels(stats, &LevelStats::filters_loaded), one.filters)
        << limit;
    EXPECT_EQ(
        stats.filter_memory_held,
        OverLevels(stats, &LevelStats::filter_bytes) + stats.filter_parts_held);
    EXPECT_EQ(stats.filter_parts_held > 0,
              one.in_parts > 0 && limit >= kOneSlab)
        << limit;
  }
}

// What filters in parts leave is for their parts.
TEST(StoreFilterParts, LeaveFiltersOfBlocksNoMemory) {
  StoreOptions options = PartsOptions(std::nullopt);
  options.block_filter_bits = 10;
  TestStore store(options);
  FillParted(&store);
  ExpectEvenKeys(&store);
  const auto block_filters = [&store] {
    return OverLevels(store->Stats(), &LevelStats::block_filters_loaded);
  };
  const std::uint64_t all = block_filters();
  EXPECT_GT(all, 0u);
  // Enough for them and for some of the parts.
  const std::uint64_t limit = store->Stats().filter_memory_held / 2;
  ASSERT_LT(OverLevels(store->Stats(), &LevelStats::block_filter_bytes),
            limit / 2);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(store->SetFilterMemory(limit).ok());
    EXPECT_GT(FiltersInParts(&store), 0u);
    EXPECT_EQ(block_filters(), 0u);
    EXPECT_LE(store->Stats().filter_memory_held, limit);
    ExpectEvenKeys(&store);
    EXPECT_EQ(block_filters(), 0u);
  }
  ASSERT_TRUE(store->SetFilterMemory(std::nullopt).ok());
  EXPECT_EQ(block_filters(), all);
  ExpectEvenKeys(&store);
}

// Filters of other tables are dropped or held as they are worth it.
TEST(StoreFilterParts, LeaveSmallFiltersTheirMemory) {
  StoreOptions options = PartsOptions(std::nullopt);
  options.filter_parts_above = 50'000;
  TestStore store(options);
  FillParted(&store);
  for (int i = 0; i < 200; i += 2) store.Put(PartedKey(i), "again");
  store.Flush();
  ExpectEvenKeys(&store);
  ASSERT_TRUE(store->SetFilterMemory(kOneSlab + 10'000).ok());
  ExpectEvenKeys(&store);
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.levels[0].filters_loaded, 1u);
  EXPECT_EQ(stats.levels[0].filters_in_parts, 0u);
  EXPECT_EQ(FiltersInParts(&store), 1u);
}

// More small filters than one turn loads come back, as long as others are held
// in parts.
TEST(StoreFilterParts, LeaveManySmallFiltersTheirMemory) {
  constexpr std::uint64_t kSmallTables = 20;
  StoreOptions options = PartsOptions(std::nullopt);
  options.filter_parts_above = 50'000;
  options.level0_route_at = 0;
  TestStore store(options);
  FillParted(&store);
  for (std::uint64_t table = 0; table < kSmallTables; ++table) {
    for (int i = 0; i < 40; i += 2) store.Put(PartedKey(i), "again");
    store.Flush();
  }
  ExpectEvenKeys(&store);
  ASSERT_TRUE(store->SetFilterMemory(0).ok());
  ASSERT_EQ(store->Stats().filter_memory_held, 0u);
  const std::uint64_t limit = kOneSlab + 40'000;
  ASSERT_TRUE(store->SetFilterMemory(limit).ok());
  // At once, not with the next tables.
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.levels[0].tables, kSmallTables);
  EXPECT_EQ(stats.levels[0].filters_loaded, kSmallTables);
  EXPECT_EQ(stats.levels[0].filters_in_parts, 0u);
  EXPECT_EQ(FiltersInParts(&store), 1u);
  EXPECT_LE(stats.filter_memory_held, limit);
  ExpectEvenKeys(&store);
}

// So that a filter near the limit does not come and go with every table.
TEST(StoreFilterParts, AreHeldWhollyAgainOnlyWithMemoryToSpare) {
  TestStore store(PartsOptions(std::nullopt));
  FillParted(&store);
  ExpectEvenKeys(&store);
  // Planned for: the whole filter, and what it takes without any part.
  const std::uint64_t whole = store->Stats().filter_memory_held;
  ASSERT_TRUE(store->SetFilterMemory(whole / 2).ok());
  const std::uint64_t all =
      whole + OverLevels(store->Stats(), &LevelStats::filter_bytes);
  ASSERT_TRUE(store->SetFilterMemory(std::nullopt).ok());
  struct Case {
    std::uint64_t limit;
    std::uint64_t in_parts;
  };
  const Case cases[] = {
      {all, 0},           {all / 2, 1},        {all, 1}, {all + all / 32, 1},
      {all + all / 8, 0}, {all + all / 32, 0}, {all, 0},
  };
  for (const Case& one : cases) {
    ASSERT_TRUE(store->SetFilterMemory(one.limit).ok());
    EXPECT_EQ(FiltersInParts(&store), one.in_parts) << one.limit;
    EXPECT_LE(store->Stats().filter_memory_held, one.limit);
  }
  ExpectEvenKeys(&store);
}

TEST(StoreFilterParts, ALackOfMemoryHidesNothing) {
  TestStore store(PartsOptions(kOneSlab));
  FillParted(&store);
  ExpectEvenKeys(&store);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t limit = i % 2 == 0 ? 2000 : kOneSlab + 2000;
    testing::AllowAllocations(i);
    const Status set = store->SetFilterMemory(limit);
    testing::AllowAllocations(-1);
    EXPECT_TRUE(!set.ok() || store->Stats().filter_memory_held <= limit);
    for (int k = 0; k < 40; ++k) {
      std::string value;
      testing::AllowAllocations(k % 4);
      const Status got = store->Get({}, PartedKey(i * 40 + k), &value);
      testing::AllowAllocations(-1);
      EXPECT_NE(got.code(),
                k % 2 == 0 ? StatusCode::kNotFound : StatusCode::kOk);
    }
  }
  ExpectEvenKeys(&store);
  EXPECT_EQ(store->Stats().damaged_filter_parts, 0u);
}

// ---- files

TEST(StoreFilterParts, ATableWithThemIsAsItShouldBe) {
  TestStore store(PartsOptions(std::nullopt));
  FillParted(&store);
  const std::uint64_t written = store->Stats().compaction_bytes_written;
  ASSERT_TRUE(store->CompactWith({.rewrite_what_differs = true}).ok());
  EXPECT_EQ(store->Stats().compaction_bytes_written, written);
  const auto tables = ListStoreTables(TestStore::dir(), store.options());
  ASSERT_TRUE(tables.ok());
  ASSERT_EQ(tables->size(), 1u);
  EXPECT_EQ(tables->at(0).filter, "bloom");
  const auto check = CheckStore(TestStore::dir(), store.options());
  ASSERT_TRUE(check.ok());
  EXPECT_TRUE(check->problems.empty());
  EXPECT_EQ(check->filters, 2u);  // and LevelDB's
}

TEST(StoreFilterParts, ADamagedOneIsWrittenAgain) {
  TestStore store(PartsOptions(std::nullopt));
  FillParted(&store);
  store.Close();
  StoredParts stored(&store);
  stored.part(3)[0] ^= 1;
  store.env().SetContents(stored.path, stored.table);
  store.Open();
  ASSERT_TRUE(store->CompactWith({.rewrite_what_differs = true}).ok());
  ExpectEvenKeys(&store);
  EXPECT_TRUE(ProblemsOf(&store).empty());
}

TEST(StoreFilterParts, TheSizeIsRemembered) {
  StoreOptions options = PartsOptions(std::nullopt);
  options.filter_parts_above = 12345;
  TestStore store(options);
  const auto settings = ReadStoreSettings(TestStore::dir(), &store.env());
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->filter_parts_above, 12345u);
  StoreOptions applied;
  settings->ApplyTo(&applied);
  EXPECT_EQ(applied.filter_parts_above, 12345u);
  // The default is not.
  store.options().filter_parts_above = StoreOptions().filter_parts_above;
  store.options().remember_settings = true;
  store.Reopen();
  const auto later = ReadStoreSettings(TestStore::dir(), &store.env());
  ASSERT_TRUE(later.ok());
  EXPECT_FALSE(later->filter_parts_above.has_value());
}

TEST(StoreFilterParts, ExplainSaysHowTheyAreHeld) {
  TestStore store(PartsOptions(kOneSlab));
  FillParted(&store);
  const Explanation told = store->Explain({}, PartedKey(1));
  const LookupStep& step = told.steps.back();
  EXPECT_EQ(step.outcome, LookupStep::Outcome::kFilterAbsent);
  EXPECT_EQ(step.filter, "bloom");
  EXPECT_NE(step.note.find("parts"), std::string::npos);
}

// ---- threads

// Readers of few parts and of many, a thread that changes the limit, a writer
// whose compactions replace tables; another one watches.
TEST(StoreFilterPartsThreads, TheLimitHoldsUnderLoad) {
  constexpr std::uint64_t kMost = 2 * kOneSlab;
  StoreOptions options = PartsOptions(kMost);
  options.filter_loading = FilterLoading::kInBackground;
  TestStore store(options);
  FillParted(&store);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::atomic<std::uint64_t> most_held{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      while (!stop) {
        const int i = static_cast<int>(random() % (t == 0 ? 20 : kPartedKeys));
        if (store->Get(PartedKey(i)).ok() != (i % 2 == 0)) ++wrong;
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
    for (unsigned i = 0; !stop; ++i) {
      const std::uint64_t limit = i % 3 == 0 ? 2000 : kMost >> i % 2;
      if (!store->SetFilterMemory(limit).ok()) ++wrong;
      // Only this thread raises it.
      if (store->Stats().filter_memory_held > limit) ++wrong;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kPartedKeys; i += 20) store.Put(PartedKey(i), "again");
    store.Compact();
  }
  // On a busy machine the other threads may not have had a turn yet.
  for (int i = 0; i < 10'000 && most_held == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(most_held, 0u);
  EXPECT_LE(most_held, kMost);
  ExpectEvenKeys(&store);
}

}  // namespace
}  // namespace tamis
