// SPDX-License-Identifier: Apache-2.0
// The second layer of filters in a store: no answer depends on it, it spares
// reads, and it takes no more memory than there is.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tamis/store_settings.h"
#include "tamis/store_tables.h"
#include "tests/store/stores.h"
#include "tests/store/table_parts.h"
#include "tests/support/failing_new.h"

namespace tamis {
namespace {

using testing::NumberKey;
using testing::SmallOptions;
using testing::StillOptions;
using testing::TestStore;

constexpr int kLayeredNumbers = 4000;

// Even numbers: the odd ones are absent, and within all ranges.
void FillLayered(TestStore* store) {
  for (int i = 0; i < kLayeredNumbers; i += 2) {
    const auto number = static_cast<std::uint64_t>(i * 7919 % kLayeredNumbers);
    store->Put(NumberKey(number), "value " + std::to_string(number));
  }
  store->Flush();
  ASSERT_TRUE((*store)->WaitForQuiet().ok());
}

void ExpectLayered(TestStore* store, const ReadOptions& options = {}) {
  std::vector<std::string> keys;
  for (int i = 0; i < kLayeredNumbers; ++i) {
    keys.push_back(NumberKey(static_cast<std::uint64_t>(i)));
  }
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<std::string> values(keys.size());
  std::vector<Status> statuses(keys.size());
  (*store)->MultiGet(options, slices, values, statuses);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Result<std::string> value = (*store)->Get(options, keys[i]);
    ASSERT_EQ(value.ok(), i % 2 == 0) << i << value.status().ToString();
    ASSERT_EQ(statuses[i].code(), value.status().code()) << i;
    if (!value.ok()) continue;
    ASSERT_EQ(*value, "value " + std::to_string(i));
    ASSERT_EQ(values[i], *value);
  }
}

std::uint64_t SumOfLevels(const StoreStats& stats,
                          std::uint64_t LevelStats::*member) {
  std::uint64_t sum = 0;
  for (const LevelStats& level : stats.levels) sum += level.*member;
  return sum;
}

StoreOptions LayeredOptions(unsigned bits, const char* filter = "bloom:10") {
  StoreOptions options = SmallOptions();
  options.block_filter_bits = bits;
  options.filter = filter;
  return options;
}

class StoreBlockFiltersOf : public ::testing::TestWithParam<const char*> {};

TEST_P(StoreBlockFiltersOf, ChangeNoAnswerHoweverTheyAreUsed) {
  for (const unsigned bits : {0u, 1u, 12u}) {
    TestStore store(LayeredOptions(bits, GetParam()));
    FillLayered(&store);
    for (const FilterUse use :
         {FilterUse::kOn, FilterUse::kOff, FilterUse::kAlwaysMaybe}) {
      store.options().filter_use = use;
      store.Reopen();
      ExpectLayered(&store);
      ExpectLayered(&store, {.verify_checksums = true, .expect_hit = true});
      const FilterCounts counts = store->Stats().block_filters();
      EXPECT_EQ(counts.probes > 0, bits != 0 && use != FilterUse::kOff);
      EXPECT_EQ(store->Stats().damaged_filters, 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Filters, StoreBlockFiltersOf,
                         ::testing::Values("bloom:3", "ribbon:4", "",
                                           "bloom:6,seed=5"),
                         [](const auto& tested) {
                           return "n" + std::to_string(tested.index);
                         });

// The false positives of one layer are those of both, multiplied.
TEST(StoreBlockFilters, RuleOutWhatTheFilterOfTheTableLetThrough) {
  StoreOptions options = StillOptions();
  options.filter = "bloom:4";
  options.block_filter_bits = 8;
  TestStore store(options);
  constexpr std::uint64_t kKeys = 20'000;
  for (std::uint64_t i = 0; i < kKeys; ++i) store.Put(NumberKey(2 * i), "v");
  store.Flush();
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    ASSERT_EQ(store.Get(NumberKey(2 * i + 1)), "(none)");
  }
  const StoreStats stats = store->Stats();
  const FilterCounts first = stats.filters();
  const FilterCounts second = stats.block_filters();
  // The first layer is judged as if there were no second.
  EXPECT_NEAR(first.observed_rate(), first.expected_rate(),
              0.1 * first.expected_rate());
  EXPECT_EQ(second.probes, first.false_positives);
  EXPECT_EQ(SumOfLevels(stats, &LevelStats::blocks_read),
            second.false_positives);
  EXPECT_GT(second.expected_false_positives, 20);
  EXPECT_NEAR(static_cast<double>(second.false_positives),
              second.expected_false_positives,
              5 * std::sqrt(second.expected_false_positives));
}

TEST(StoreBlockFilters, AreNotQueriedWhereAHitIsExpected) {
  StoreOptions options = LayeredOptions(10);
  // So that no table is moved on meanwhile: there is one level.
  options.level1_bytes = std::uint64_t{1} << 20;
  TestStore store(options);
  FillLayered(&store);
  store.Compact();
  for (int i = 0; i < kLayeredNumbers; i += 2) {
    ASSERT_TRUE(
        (*store)
            .Get({.expect_hit = true}, NumberKey(static_cast<std::uint64_t>(i)))
            .ok());
  }
  EXPECT_EQ(store->Stats().block_filters().probes, 0u);
}

TEST(StoreBlockFilters, AreExplained) {
  StoreOptions options = StillOptions();
  options.filter = "";
  options.leveldb_filter_bits = 0;
  options.block_filter_bits = 16;
  TestStore store(options);
  for (std::uint64_t i = 0; i < 1000; ++i) store.Put(NumberKey(2 * i), "v");
  store.Flush();
  ASSERT_EQ(store.Get(NumberKey(7)), "(none)");
  const auto last_step = [&](Slice key) {
    return store->Explain({}, key).steps.back();
  };
  const LookupStep absent = last_step(NumberKey(7));
  EXPECT_EQ(absent.outcome, LookupStep::Outcome::kFilterAbsent);
  EXPECT_EQ(absent.ruled_out_by, LookupStep::Layer::kBlockFilter);
  EXPECT_EQ(absent.blocks_read, 0u);
  EXPECT_GT(absent.block_filter_bytes, 1000u);
  EXPECT_NEAR(absent.block_filter_rate, 0.0009, 0.0005);
  EXPECT_EQ(absent.filter, "");
  const LookupStep found = last_step(NumberKey(8));
  EXPECT_EQ(found.outcome, LookupStep::Outcome::kFound);
  EXPECT_EQ(found.ruled_out_by, LookupStep::Layer::kNone);
}

TEST(StoreBlockFilters, ExplainNamesTheOtherLayersToo) {
  StoreOptions options = StillOptions();
  TestStore whole(options);
  options.filter = "";
  TestStore leveldb(options);
  const auto layer = [](TestStore* store) {
    for (std::uint64_t i = 0; i < 100; ++i) {
      store->Put("a" + NumberKey(i), std::string(300, 'v'));
    }
    store->Put("z", "v");
    store->Flush();
    EXPECT_EQ(store->Get("m"), "(none)");
    return (*store)->Explain({}, "m").steps.back().ruled_out_by;
  };
  EXPECT_EQ(layer(&whole), LookupStep::Layer::kWholeFilter);
  EXPECT_EQ(layer(&leveldb), LookupStep::Layer::kLevelDbBlockFilter);
}

TEST(StoreBlockFilters, AreInEveryFormatOfTheStatistics) {
  TestStore store(LayeredOptions(10, "bloom:3"));
  FillLayered(&store);
  ExpectLayered(&store);
  const StoreStats stats = store->Stats();
  EXPECT_GT(SumOfLevels(stats, &LevelStats::block_filters_loaded), 1u);
  EXPECT_EQ(SumOfLevels(stats, &LevelStats::block_filter_bytes) +
                SumOfLevels(stats, &LevelStats::filter_bytes),
            stats.filter_memory_held);
  EXPECT_NE(stats.ToText().find("filters of blocks: "), std::string::npos);
  EXPECT_NE(stats.ToJson().find("\"block_filters\":{\"probes\":"),
            std::string::npos);
  EXPECT_NE(stats.ToPrometheus().find("tamis_store_level_block_filter_absent"),
            std::string::npos);
}

TEST(StoreBlockFilters, AreRememberedAndTablesWithoutAreRewritten) {
  TestStore store(LayeredOptions(0));
  FillLayered(&store);
  store.Compact();
  store.options().remember_settings = true;
  store.options().block_filter_bits = 9;
  store.Reopen();
  const auto remembered = [&] {
    return (*ReadStoreSettings(TestStore::dir(), &store.env()))
        .block_filter_bits.value_or(0);
  };
  EXPECT_EQ(remembered(), 9u);
  EXPECT_EQ(SumOfLevels(store->Stats(), &LevelStats::block_filters_loaded), 0u);
  const auto rewrite = [&] {
    Result<CompactReport> report =
        store->CompactWith({.merge = false, .rewrite_what_differs = true});
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? report->rewritten : 0;
  };
  EXPECT_GT(rewrite(), 0u);
  ExpectLayered(&store);
  EXPECT_GT(SumOfLevels(store->Stats(), &LevelStats::block_filters_loaded), 0u);
  EXPECT_EQ(rewrite(), 0u);
  store.options().block_filter_bits = 0;
  store.Reopen();
  EXPECT_EQ(remembered(), 0u);
  EXPECT_GT(rewrite(), 0u);
  ExpectLayered(&store);
  EXPECT_EQ(SumOfLevels(store->Stats(), &LevelStats::block_filters_loaded), 0u);
}

TEST(StoreBlockFilters, ThatAreTooLargeAreRefused) {
  testing::MemoryEnv env;
  StoreOptions options;
  options.create_if_missing = true;
  options.env = &env;
  options.block_filter_bits = 65;
  const Status refused = Store::Open("/db", options).status();
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.message().find("block_filter_bits"), std::string::npos);
  EXPECT_FALSE(env.Exists("/db"));
}

TEST(StoreBlockFilters, ThatAreDamagedSayMaybeAndAreCounted) {
  TestStore store(LayeredOptions(10));
  FillLayered(&store);
  store.Compact();
  store.Close();
  std::uint64_t damaged = 0;
  for (const std::string& path : store.Files(".ldb")) {
    const BlockHandle place = testing::PartsOf(&store.env(), path).block_filter;
    ASSERT_GT(place.size, 0u);
    std::string bytes = store.env().Contents(path);
    bytes[place.offset + 70] = static_cast<char>(bytes[place.offset + 70] ^ 1);
    store.env().SetContents(path, bytes);
    ++damaged;
  }
  store.Open();
  ExpectLayered(&store);
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.damaged_filters, damaged);
  EXPECT_NE(stats.last_filter_damage.find("the filter of its blocks"),
            std::string::npos)
      << stats.last_filter_damage;
  EXPECT_EQ(stats.block_filters().probes, 0u);
  EXPECT_GT(stats.filters().absent, 0u) << "the first layer still works";
  const Result<CheckReport> report =
      CheckStore(TestStore::dir(), store.options());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->problems.size(), damaged);
}

// ---- with a limit of the memory

class StoreBlockFilterLimit
    : public ::testing::TestWithParam<std::optional<std::uint64_t>> {};

TEST_P(StoreBlockFilterLimit, HoldsAndChangesNoAnswer) {
  StoreOptions options = LayeredOptions(10);
  options.filter_memory_bytes = GetParam();
  TestStore store(options);
  FillLayered(&store);
  for (int i = 0; i < 2; ++i) {
    ExpectLayered(&store);
    const StoreStats stats = store->Stats();
    EXPECT_LE(stats.filter_memory_held, GetParam().value_or(~std::uint64_t{0}));
    store.Reopen();
  }
}

INSTANTIATE_TEST_SUITE_P(Limits, StoreBlockFilterLimit,
                         ::testing::Values(std::nullopt, 0, 1, 700, 2000, 4000,
                                           20'000));

TEST(StoreBlockFilters, GiveWayToTheFiltersOfTablesAndComeBack) {
  StoreOptions options = LayeredOptions(10);
  options.filter_per_level = {"bloom:10"};  // not planned
  TestStore store(options);
  FillLayered(&store);
  ExpectLayered(&store);
  const StoreStats all = store->Stats();
  const std::uint64_t first = SumOfLevels(all, &LevelStats::filter_bytes);
  const std::uint64_t second =
      SumOfLevels(all, &LevelStats::block_filter_bytes);
  const std::uint64_t tables =
      SumOfLevels(all, &LevelStats::block_filters_loaded);
  ASSERT_GT(tables, 2u);
  const auto limit = [&](std::optional<std::uint64_t> bytes) {
    EXPECT_TRUE(store->SetFilterMemory(bytes).ok());
    const StoreStats stats = store->Stats();
    EXPECT_LE(stats.filter_memory_held, bytes.value_or(~std::uint64_t{0}));
    return stats;
  };
  // Room for the first layer, and some of the second.
  StoreStats stats = limit(first + second / 2);
  EXPECT_EQ(SumOfLevels(stats, &LevelStats::filter_bytes), first);
  EXPECT_LT(SumOfLevels(stats, &LevelStats::block_filters_loaded), tables);
  EXPECT_GT(SumOfLevels(stats, &LevelStats::block_filters_loaded), 0u);
  ExpectLayered(&store);
  stats = limit(first / 2);
  EXPECT_LT(SumOfLevels(stats, &LevelStats::block_filters_loaded), 2u)
      << "what no filter of a table fits into";
  EXPECT_GT(SumOfLevels(stats, &LevelStats::filter_bytes), first / 4);
  ExpectLayered(&store);
  stats = limit(std::nullopt);
  EXPECT_EQ(SumOfLevels(stats, &LevelStats::filter_bytes), first);
  EXPECT_EQ(SumOfLevels(stats, &LevelStats::block_filters_loaded), tables);
  EXPECT_EQ(stats.filter_memory_held, first + second);
  ExpectLayered(&store);
}

TEST(StoreBlockFilters, WithoutMemoryAreLeftOut) {
  TestStore store(LayeredOptions(10));
  FillLayered(&store);
  store.Compact();
  for (int allowed = 0; allowed < 60; ++allowed) {
    store.Reopen();
    testing::AllowAllocations(allowed);
    std::string value;
    const Status got = store->Get({}, NumberKey(8), &value);
    testing::AllowAllocations(-1);
    ASSERT_TRUE(got.ok() || got.code() == StatusCode::kResourceExhausted)
        << got.ToString();
    ASSERT_EQ(store.Get(NumberKey(8)), "value 8");
    ASSERT_EQ(store.Get(NumberKey(9)), "(none)");
  }
}

// ---- from many threads

TEST(StoreBlockFilterThreads, LookUpWhileTheLimitChanges) {
  StoreOptions options = LayeredOptions(10, "bloom:4");
  options.filter_loading = FilterLoading::kInBackground;
  TestStore store(options);
  FillLayered(&store);
  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t) {
    readers.emplace_back([&, t] {
      for (int i = t; !is_over.load(); i = (i + 7) % kLayeredNumbers) {
        const auto key = NumberKey(static_cast<std::uint64_t>(i));
        const Status got = (*store).Get({}, key).status();
        wrong += got.ok() == (i % 2 == 0) ? 0u : 1u;
      }
    });
  }
  for (int i = 0; i < 60; ++i) {
    constexpr std::uint64_t kLimits[] = {0, 1500, 3000, 100'000};
    EXPECT_TRUE(
        store->SetFilterMemory(kLimits[static_cast<std::size_t>(i) % 4]).ok());
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0u);
}

}  // namespace
}  // namespace tamis
