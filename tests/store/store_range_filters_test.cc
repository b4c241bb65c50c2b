// SPDX-License-Identifier: Apache-2.0
// Range filters in a store: no scan shows less for them, they spare reads, and
// take no more memory than there is.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
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
using Model = std::map<std::string, std::string>;

std::uint64_t Sum(const StoreStats& stats, std::uint64_t LevelStats::*member) {
  std::uint64_t sum = 0;
  for (const LevelStats& level : stats.levels) sum += level.*member;
  return sum;
}

StoreOptions RangeOptions(unsigned bits = 8) {
  StoreOptions options = SmallOptions();
  options.range_filter_bits = bits;
  return options;
}

// Keys with random gaps between them, so that nothing but their places rules a
// range out.
std::string SparseKey(std::uint64_t i) {
  std::mt19937_64 random(i);
  return "user:" + NumberKey(i * 1000 + random() % 900);
}

void FillSparse(TestStore* store, Model* model, std::uint64_t keys) {
  for (std::uint64_t i = 0; i < keys; ++i) {
    const std::string key = SparseKey(i * 7919 % keys);
    (*model)[key] = "value of " + key;
    store->Put(key, (*model)[key]);
  }
  store->Flush();
  ASSERT_TRUE((*store)->WaitForQuiet().ok());
}

// What a scan of [from, to) shows, towards larger or smaller keys.
std::string Forward(Store& store, const std::string& from,
                    const std::string& to, const Snapshot* snapshot = nullptr) {
  std::string shown;
  const auto it = store.NewIterator(
      {.snapshot = snapshot, .lower_bound = from, .upper_bound = to});
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    shown.append(it->key()).append("=").append(it->value()) += ' ';
  }
  return shown + (it->status().ok() ? "" : it->status().ToString());
}

std::string Backward(Store& store, const std::string& from,
                     const std::string& to) {
  std::vector<std::string> pairs;
  const auto it = store.NewIterator({.lower_bound = from, .upper_bound = to});
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    pairs.push_back(std::string(it->key()).append("=").append(it->value()));
  }
  std::string shown;
  for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) {
    shown += *pair + ' ';
  }
  return shown + (it->status().ok() ? "" : it->status().ToString());
}

std::string InModel(const Model& model, const std::string& from,
                    const std::string& to) {
  std::string shown;
  for (auto at = model.lower_bound(from); at != model.end() && at->first < to;
       ++at) {
    shown += at->first + "=" + at->second + ' ';
  }
  return shown;
}

// Ranges in gaps, around keys, from key to key, and long ones.
void ExpectScans(TestStore* store, const Model& model, int times) {
  std::mt19937_64 random(9);
  std::vector<std::string> keys;
  for (const auto& [key, value] : model) keys.push_back(key);
  for (int i = 0; i < times; ++i) {
    std::string from = keys[random() % keys.size()];
    std::string to = from;
    switch (random() % 5) {
      case 0:
        to += '\0';  // the key alone
        break;
      case 1:
        from += '\0';  // just behind it
        to += "~";
        break;
      case 2:
        from.back() =
            static_cast<char>(from.back() + static_cast<int>(random() % 3));
        to = from + "5";
        break;
      case 3:
        from.resize(from.size() - 2);
        to.resize(to.size() - 2);
        to.back() = static_cast<char>(to.back() + 1);
        break;
      default:
        to = keys[random() % keys.size()];
        break;
    }
    const std::string expected = InModel(model, from, to);
    ASSERT_EQ(Forward(**store, from, to), expected) << from << " to " << to;
    ASSERT_EQ(Backward(**store, from, to), expected) << from << " to " << to;
  }
}

TEST(StoreRangeFilters, ChangeNoScanHoweverTheyAreUsed) {
  for (const unsigned bits : {0u, 3u, 12u}) {
    TestStore store(RangeOptions(bits));
    Model model;
    FillSparse(&store, &model, 3000);
    for (std::uint64_t i = 0; i < 3000; i += 5) {
      store.Delete(SparseKey(i));
      model.erase(SparseKey(i));
    }
    for (const FilterUse use :
         {FilterUse::kOn, FilterUse::kOff, FilterUse::kAlwaysMaybe}) {
      store.options().filter_use = use;
      store.Reopen();
      ExpectScans(&store, model, 200);
      const StoreStats stats = store->Stats();
      EXPECT_EQ(Sum(stats, &LevelStats::range_filter_probes) > 0,
                bits != 0 && use != FilterUse::kOff);
      EXPECT_EQ(stats.damaged_filters, 0u);
      EXPECT_EQ(stats.filters_not_built, 0u);
    }
  }
}

// Every key of a table can be the only one in a scan.
TEST(StoreRangeFilters, ShowEveryKeyAtTheEndsOfARange) {
  StoreOptions options = StillOptions();
  options.range_filter_bits = 16;
  TestStore store(options);
  Model model;
  for (std::uint64_t table = 0; table < 4; ++table) {
    for (std::uint64_t i = table; i < 2000; i += 4) {
      model[SparseKey(i)] = std::to_string(table);
      store.Put(SparseKey(i), model[SparseKey(i)]);
    }
    store.Flush();
  }
  for (const auto& [key, value] : model) {
    const std::string expected = key + "=" + value + " ";
    ASSERT_EQ(Forward(*store, key, key + '\0'), expected);
    ASSERT_EQ(Backward(*store, key, key + '\0'), expected);
    ASSERT_EQ(Forward(*store, key, key), "");
    const auto it = store->NewIterator();
    it->Seek(key);
    ASSERT_TRUE(it->Valid());
    ASSERT_EQ(it->key(), key);
    it->SeekForPrev(key);
    ASSERT_TRUE(it->Valid());
    ASSERT_EQ(it->key(), key);
    it->Seek(key + '\0');
    const auto next = model.upper_bound(key);
    ASSERT_EQ(it->Valid(), next != model.end());
    if (it->Valid()) {
      ASSERT_EQ(it->key(), next->first);
    }
  }
  EXPECT_GT(Sum(store->Stats(), &LevelStats::range_tables_postponed), 5000u);
}

// A deletion is an entry: what it hides stays hidden, and a snapshot from
// before it shows the key.
TEST(StoreRangeFilters, HaveDeletionsToo) {
  StoreOptions options = StillOptions();
  options.range_filter_bits = 8;
  TestStore store(options);
  Model model;
  for (std::uint64_t i = 0; i < 600; ++i) {
    model[SparseKey(i)] = "old";
    store.Put(SparseKey(i), "old");
  }
  store.Flush();
  const auto before = store->GetSnapshot();
  const Model then = model;
  for (std::uint64_t i = 0; i < 600; i += 3) {
    store.Delete(SparseKey(i));
    model.erase(SparseKey(i));
  }
  store.Flush();
  ExpectScans(&store, model, 200);
  for (std::uint64_t i = 0; i < 600; ++i) {
    const std::string key = SparseKey(i);
    ASSERT_EQ(Forward(*store, key, key + "~"), InModel(model, key, key + "~"));
    ASSERT_EQ(Forward(*store, key, key + "~", before.get()),
              InModel(then, key, key + "~"));
  }
}

TEST(StoreRangeFilters, SpareTheTablesOfEmptyScans) {
  StoreOptions options = StillOptions();
  options.range_filter_bits = 10;
  TestStore store(options);
  constexpr std::uint64_t kTables = 10;
  for (std::uint64_t table = 0; table < kTables; ++table) {
    for (std::uint64_t i = table; i < 10'000; i += kTables) {
      store.Put(SparseKey(i), "v");
    }
    store.Flush();
  }
  ASSERT_EQ(store.TablesAt(0), kTables);
  std::mt19937_64 random(3);
  constexpr int kScans = 300;
  for (int i = 0; i < kScans; ++i) {
    // Every gap begins 900 after a multiple of 1,000, at the latest.
    const std::uint64_t at = random() % 9000 * 1000 + 900 + random() % 50;
    ASSERT_EQ(
        Forward(*store, "user:" + NumberKey(at), "user:" + NumberKey(at + 20)),
        "");
  }
  const StoreStats stats = store->Stats();
  EXPECT_GE(stats.levels[0].range_filter_probes, kTables * kScans);
  EXPECT_GT(stats.levels[0].range_filter_absent, kTables * kScans * 97 / 100);
}

// Files of tables go when nothing refers to them any more.
TEST(StoreRangeFilters, AnIteratorThatTheyLeaveNothingKeepsNoTables) {
  StoreOptions options = StillOptions();
  options.range_filter_bits = 16;
  TestStore store(options);
  for (std::uint64_t table = 0; table < 2; ++table) {
    for (std::uint64_t i = table; i < 2000; i += 2) {
      store.Put(SparseKey(i), "v");
    }
    store.Flush();
  }
  ASSERT_EQ(Forward(*store, SparseKey(0), SparseKey(1)).substr(0, 5), "user:");
  const std::string in_a_gap = "user:" + NumberKey(700'910);
  const std::string end = "user:" + NumberKey(700'950);
  const auto empty =
      store->NewIterator({.lower_bound = in_a_gap, .upper_bound = end});
  store.Compact();
  EXPECT_EQ(store.Files(".ldb").size(), 1u);
  empty->SeekToFirst();
  EXPECT_FALSE(empty->Valid());
  EXPECT_TRUE(empty->status().ok());

  const auto all = store->NewIterator();
  store.Put("user:", "v");
  store.Compact();
  EXPECT_EQ(store.Files(".ldb").size(), 2u);
}

// What is not read cannot be found to be damaged; with kAlwaysMaybe it is read.
TEST(StoreRangeFilters, AreAskedAndNotObeyedWithAlwaysMaybe) {
  StoreOptions options = StillOptions();
  options.range_filter_bits = 12;
  options.block_bytes = 256;
  TestStore store(options);
  for (std::uint64_t i = 0; i < 2000; ++i) store.Put(SparseKey(i), "value");
  store.Flush();
  store.Close();
  const std::string path = store.Files(".ldb").front();
  const std::size_t blocks = store.env().Contents(path).size() / 3;
  for (std::size_t at = 5; at < blocks; at += 100) {
    store.env().FlipBit(path, at, 1);
  }
  const std::string from = "user:" + NumberKey(20'950);
  const std::string to = "user:" + NumberKey(20'970);
  for (const FilterUse use : {FilterUse::kOn, FilterUse::kAlwaysMaybe}) {
    store.options().filter_use = use;
    store.Reopen();
    const std::string shown = Forward(*store, from, to);
    EXPECT_EQ(shown.empty(), use == FilterUse::kOn) << shown;
    EXPECT_EQ(store->Stats().levels[0].range_filter_absent, 1u);
  }
}

// Without bounds, too: a table is read when the scan comes to its next key.
TEST(StoreRangeFilters, LeaveTablesUnreadUntilTheScanComesToThem) {
  StoreOptions options = StillOptions();
  options.range_filter_bits = 10;
  TestStore store(options);
  for (std::uint64_t table = 0; table < 10; ++table) {
    // One key in a thousand is of another table than its neighbours.
    for (std::uint64_t i = 0; i < 4000; ++i) {
      if (i % 1000 == table || table == 9) store.Put(SparseKey(i), "v");
    }
    store.Flush();
  }
  const auto it = store->NewIterator();
  const auto scan = [&](bool is_forward) {
    const StoreStats before = store->Stats();
    it->Seek(SparseKey(1500));
    for (int i = 0; i < 100 && it->Valid(); ++i) {
      is_forward ? it->Next() : it->Prev();
    }
    EXPECT_TRUE(it->Valid());
    const StoreStats after = store->Stats();
    EXPECT_GE(after.levels[0].range_tables_postponed,
              before.levels[0].range_tables_postponed + 9);
    EXPECT_EQ(after.levels[0].range_tables_reached,
              before.levels[0].range_tables_reached);
  };
  scan(true);
  scan(false);
}

// Where one table follows another the scan comes to each, and no filter has
// said otherwise.
TEST(StoreRangeFilters, AreAskedHoweverOftenScansComeToTheNextTable) {
  StoreOptions options = StillOptions();
  options.range_filter_bits = 10;
  TestStore store(options);
  constexpr std::uint64_t kKeys = 2000;
  constexpr std::uint64_t kTables = 8;
  for (std::uint64_t table = 0; table < kTables; ++table) {
    store.Put("a" + std::to_string(table), "v");
    store.Flush();
  }
  for (std::uint64_t table = 0; table < 2; ++table) {
    for (std::uint64_t i = table; i < kKeys; i += 2) {
      store.Put(SparseKey(i), "v");
    }
    store.Flush();
  }
  for (int i = 0; i < 100; ++i) {
    const auto it = store->NewIterator();
    it->Seek("");
    for (std::uint64_t table = 0; table < kTables; ++table) it->Next();
    ASSERT_TRUE(it->Valid());
  }
  const std::uint64_t before = store->Stats().levels[0].range_filter_probes;
  constexpr std::uint64_t kScans = 300;
  for (std::uint64_t i = 1; i <= kScans; ++i) {
    // Every gap begins 900 after a multiple of 1,000, at the latest.
    const std::string end = "user:" + NumberKey(i * 1000 + 1000);
    const auto it = store->NewIterator({.upper_bound = end});
    it->Seek("user:" + NumberKey(i * 1000 + 950));
    ASSERT_FALSE(it->Valid());
  }
  EXPECT_EQ(store->Stats().levels[0].range_filter_probes - before, 2 * kScans);
}

// A thread whose seeks mostly found their key asks hardly any more; when they
// change, it finds out.
TEST(StoreRangeFilters, AreAskedAgainWhenThatPaysAgain) {
  StoreOptions options = StillOptions();
  options.range_filter_bits = 10;
  TestStore store(options);
  constexpr std::uint64_t kKeys = 1000;
  for (std::uint64_t table = 0; table < 2; ++table) {
    for (std::uint64_t i = 0; i < kKeys; ++i) store.Put(SparseKey(i), "v");
    store.Flush();
  }
  // Each seeks, and goes on up to the next key at most.
  const auto probes_of = [&](std::uint64_t scans, bool is_in_gap) {
    const std::uint64_t before = store->Stats().levels[0].range_filter_probes;
    for (std::uint64_t scan = 0; scan < scans; ++scan) {
      const std::uint64_t i = scan % kKeys;
      const std::string end = "user:" + NumberKey(i * 1000 + 1000);
      const auto it = store->NewIterator({.upper_bound = end});
      it->Seek(is_in_gap ? "user:" + NumberKey(i * 1000 + 950) : SparseKey(i));
    }
    return store->Stats().levels[0].range_filter_probes - before;
  };
  EXPECT_LT(probes_of(1000, false), 1000u);
  (void)probes_of(20'000, true);
  EXPECT_EQ(probes_of(500, true), 1000u);
}

TEST(StoreRangeFilters, AreInEveryFormatOfTheStatistics) {
  TestStore store(RangeOptions());
  Model model;
  FillSparse(&store, &model, 3000);
  ExpectScans(&store, model, 20);
  ASSERT_EQ(store.Get("user:"), "(none)");
  const StoreStats stats = store->Stats();
  EXPECT_GT(Sum(stats, &LevelStats::range_filters_loaded), 1u);
  EXPECT_EQ(Sum(stats, &LevelStats::range_filter_bytes) +
                Sum(stats, &LevelStats::filter_bytes),
            stats.filter_memory_held);
  EXPECT_NE(stats.ToText().find("range filters: "), std::string::npos);
  EXPECT_NE(stats.ToJson().find("\"range_filter_probes\":"), std::string::npos);
  EXPECT_NE(stats.ToPrometheus().find("tamis_store_level_range_filter_absent"),
            std::string::npos);
}

TEST(StoreRangeFilters, AreRememberedAndTablesWithoutAreRewritten) {
  TestStore store(RangeOptions(0));
  Model model;
  FillSparse(&store, &model, 3000);
  store.Compact();
  store.options().remember_settings = true;
  store.options().range_filter_bits = 9;
  store.Reopen();
  const auto remembered = [&] {
    return (*ReadStoreSettings(TestStore::dir(), &store.env()))
        .range_filter_bits.value_or(0);
  };
  EXPECT_EQ(remembered(), 9u);
  const auto rewrite = [&] {
    Result<CompactReport> report =
        store->CompactWith({.merge = false, .rewrite_what_differs = true});
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? report->rewritten : 0;
  };
  EXPECT_GT(rewrite(), 0u);
  ExpectScans(&store, model, 50);
  EXPECT_GT(Sum(store->Stats(), &LevelStats::range_filters_loaded), 0u);
  EXPECT_EQ(rewrite(), 0u);
  store.options().range_filter_bits = 0;
  store.Reopen();
  EXPECT_EQ(remembered(), 0u);
  EXPECT_GT(rewrite(), 0u);
  ExpectScans(&store, model, 50);
  EXPECT_EQ(Sum(store->Stats(), &LevelStats::range_filters_loaded), 0u);
}

TEST(StoreRangeFilters, OfSizesThatDoNotExistAreRefused) {
  for (const unsigned bits : {1u, 2u, 33u}) {
    testing::MemoryEnv env;
    StoreOptions options;
    options.create_if_missing = true;
    options.env = &env;
    options.range_filter_bits = bits;
    const Status refused = Store::Open("/db", options).status();
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(refused.message().find("range_filter_bits"), std::string::npos);
    EXPECT_FALSE(env.Exists("/db"));
  }
}

// Keys that are alike for longer than a code tells apart.
TEST(StoreRangeFilters, OfKeysThatDoNotSuitThemAreLeftOut) {
  StoreOptions options = StillOptions();
  options.range_filter_bits = 3;
  TestStore store(options);
  Model model;
  std::mt19937_64 random(1);
  std::string key(400, 'a');
  for (int i = 0; i < 1500; ++i) {
    // Random text, and then neighbours that differ at its end.
    if (i % 50 == 0) {
      for (char& c : key) c = static_cast<char>(random() % 256);
    }
    key.back() = static_cast<char>(i % 50 * 5);
    model[key] = std::to_string(i);
    store.Put(key, model[key]);
  }
  store.Flush();
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.filters_not_built, 1u);
  EXPECT_NE(stats.last_filter_not_built.find("that of ranges"),
            std::string::npos)
      << stats.last_filter_not_built;
  ExpectScans(&store, model, 100);
  EXPECT_EQ(Sum(store->Stats(), &LevelStats::range_filters_loaded), 0u);
  // It is as wanted: nothing would change.
  Result<CompactReport> report =
      store->CompactWith({.merge = false, .rewrite_what_differs = true});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->rewritten, 0u);
}

// ---- damage

class StoreRangeFilterDamage : public ::testing::TestWithParam<std::uint64_t> {
};

TEST_P(StoreRangeFilterDamage, SaysMaybeAndIsCounted) {
  TestStore store(RangeOptions());
  Model model;
  FillSparse(&store, &model, 2000);
  store.Compact();
  store.Close();
  std::uint64_t damaged = 0;
  for (const std::string& path : store.Files(".ldb")) {
    const BlockHandle place = testing::PartsOf(&store.env(), path).range_filter;
    ASSERT_GT(place.size, 0u);
    std::string bytes = store.env().Contents(path);
    // Some tables are small.
    char& byte = bytes[place.offset + std::min(GetParam(), place.size - 1)];
    byte = static_cast<char>(byte ^ 1);
    testing::Reseal(&bytes, place);  // so that the filter itself is judged
    store.env().SetContents(path, bytes);
    ++damaged;
  }
  // Not every table is asked by chance.
  store.options().filter_loading = FilterLoading::kAtOpening;
  store.Open();
  ExpectScans(&store, model, 100);
  ASSERT_EQ(store.Get("user:"), "(none)");
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.damaged_filters, damaged);
  EXPECT_NE(stats.last_filter_damage.find("its range filter"),
            std::string::npos)
      << stats.last_filter_damage;
  EXPECT_EQ(Sum(stats, &LevelStats::range_filter_probes), 0u);
  const Result<CheckReport> report =
      CheckStore(TestStore::dir(), store.options());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->problems.size(), damaged);
}

// Of the magic, the version, the kind, the parameters, the code, the end.
INSTANTIATE_TEST_SUITE_P(At, StoreRangeFilterDamage,
                         ::testing::Values(0, 4, 8, 16, 32, 70, 200));

// ---- with a limit of the memory

class StoreRangeFilterLimit
    : public ::testing::TestWithParam<std::optional<std::uint64_t>> {};

TEST_P(StoreRangeFilterLimit, HoldsAndChangesNoScan) {
  StoreOptions options = RangeOptions();
  options.block_filter_bits = 4;
  options.filter_memory_bytes = GetParam();
  TestStore store(options);
  Model model;
  FillSparse(&store, &model, 2000);
  for (int i = 0; i < 2; ++i) {
    ExpectScans(&store, model, 50);
    ASSERT_EQ(store.Get("user:"), "(none)");
    const StoreStats stats = store->Stats();
    EXPECT_LE(stats.filter_memory_held, GetParam().value_or(~std::uint64_t{0}));
    store.Reopen();
  }
}

INSTANTIATE_TEST_SUITE_P(Limits, StoreRangeFilterLimit,
                         ::testing::Values(std::nullopt, 0, 1, 2000, 4000,
                                           20'000));

TEST(StoreRangeFilters, GiveWayToTheFiltersOfTablesAndComeBack) {
  StoreOptions options = RangeOptions();
  options.filter_per_level = {"bloom:10"};  // not planned
  TestStore store(options);
  Model model;
  FillSparse(&store, &model, 3000);
  for (std::uint64_t i = 0; i < 3000; ++i) store.Get(SparseKey(i));
  const StoreStats all = store->Stats();
  const std::uint64_t first = Sum(all, &LevelStats::filter_bytes);
  const std::uint64_t ranges = Sum(all, &LevelStats::range_filter_bytes);
  const std::uint64_t tables = Sum(all, &LevelStats::range_filters_loaded);
  ASSERT_GT(tables, 2u);
  const auto limit = [&](std::optional<std::uint64_t> bytes) {
    EXPECT_TRUE(store->SetFilterMemory(bytes).ok());
    const StoreStats stats = store->Stats();
    EXPECT_LE(stats.filter_memory_held, bytes.value_or(~std::uint64_t{0}));
    ExpectScans(&store, model, 20);
    return stats;
  };
  StoreStats stats = limit(first + ranges / 2);
  EXPECT_EQ(Sum(stats, &LevelStats::filter_bytes), first);
  EXPECT_LT(Sum(stats, &LevelStats::range_filters_loaded), tables);
  EXPECT_GT(Sum(stats, &LevelStats::range_filters_loaded), 0u);
  stats = limit(first / 2);
  EXPECT_LT(Sum(stats, &LevelStats::range_filters_loaded), 2u);
  stats = limit(std::nullopt);
  EXPECT_EQ(Sum(stats, &LevelStats::filter_bytes), first);
  EXPECT_EQ(Sum(stats, &LevelStats::range_filters_loaded), tables);
  EXPECT_EQ(stats.filter_memory_held, first + ranges);
}

// An iterator that lives longer than its tables does not load their filters:
// nobody could drop those again.
TEST(StoreRangeFilters, AreNotLoadedOfTablesThatAreOnlyInAnIterator) {
  StoreOptions options = StillOptions();
  options.range_filter_bits = 8;
  options.filter_memory_bytes = 1'000'000;
  TestStore store(options);
  for (std::uint64_t table = 0; table < 2; ++table) {
    for (std::uint64_t i = table; i < 2000; i += 2) {
      store.Put(SparseKey(i), "v");
    }
    store.Flush();
  }
  store.Reopen();
  const auto it = store->NewIterator();
  store.Compact();
  for (std::uint64_t i = 0; i < 2000; ++i) {
    it->Seek(SparseKey(i));
    ASSERT_TRUE(it->Valid());
    ASSERT_EQ(it->key(), SparseKey(i));
  }
  const Status changed = store->SetFilterMemory(0);
  EXPECT_TRUE(changed.ok()) << changed.ToString();
  EXPECT_EQ(store->Stats().filter_memory_held, 0u);
}

TEST(StoreRangeFilters, WithoutMemoryShowNothingWrong) {
  TestStore store(RangeOptions());
  Model model;
  FillSparse(&store, &model, 1000);
  store.Compact();
  const std::string from = SparseKey(500);
  const std::string expected = InModel(model, from, from + "~");
  for (int allowed = 0; allowed < 60; ++allowed) {
    store.Reopen();
    testing::AllowAllocations(allowed);
    Status status;
    {
      const auto it =
          store->NewIterator({.lower_bound = from, .upper_bound = "user:~"});
      it->SeekToFirst();
      status = it->status();
      const bool is_there = it->Valid();
      testing::AllowAllocations(-1);
      ASSERT_EQ(is_there, status.ok());
      if (is_there) {
        ASSERT_EQ(it->key(), from);
      }
    }
    ASSERT_TRUE(status.ok() || status.code() == StatusCode::kResourceExhausted)
        << status.ToString();
    ASSERT_EQ(Forward(*store, from, from + "~"), expected);
  }
}

// ---- from many threads

TEST(StoreRangeFilterThreads, ScanWhileTheLimitChanges) {
  StoreOptions options = RangeOptions();
  options.filter_loading = FilterLoading::kInBackground;
  TestStore store(options);
  Model model;
  FillSparse(&store, &model, 2000);
  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> readers;
  for (std::uint64_t t = 0; t < 2; ++t) {
    readers.emplace_back([&, t] {
      for (std::uint64_t i = t; !is_over.load(); i = (i + 7) % 2000) {
        const std::string key = SparseKey(i);
        const auto it =
            store->NewIterator({.lower_bound = key, .upper_bound = key + "~"});
        it->Seek(key);
        wrong += it->Valid() && it->key() == key ? 0u : 1u;
        it->SeekForPrev(key + "z");
        wrong += it->Valid() && it->key() == key ? 0u : 1u;
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
