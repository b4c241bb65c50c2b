// SPDX-License-Identifier: Apache-2.0
// Prefixes in the filters of a store's tables: no answer depends on them, and
// scans within a prefix leave out tables without it.

#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter_files.h"
#include "tamis/store.h"
#include "tamis/store_settings.h"
#include "tamis/store_tables.h"
#include "tests/store/stores.h"
#include "tests/support/filter_choices.h"

namespace tamis {
namespace {

using testing::SmallOptions;
using testing::StillOptions;
using testing::TestStore;
using PrefixModel = std::map<std::string, std::string>;

constexpr int kUsers = 400;

std::string User(int number) { return "user:" + std::to_string(number) + ":"; }

StoreOptions PrefixOptions(const std::string& extractor,
                           const std::string& filter = "bloom:10") {
  StoreOptions options = StillOptions();
  options.prefix_extractor = extractor;
  options.filter = filter;
  options.leveldb_filter_bits = 0;
  return options;
}

// The items of every second user, in one table.
void FillUsers(TestStore* store) {
  for (int user = 0; user < kUsers; user += 2) {
    for (int item = 0; item < 5; ++item) {
      store->Put(User(user) + "item:" + std::to_string(item), "v");
    }
  }
  store->Flush();
}

std::size_t KeysWithin(TestStore* store, const ReadOptions& options) {
  const auto it = (*store)->NewIterator(options);
  std::size_t count = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  std::size_t back = 0;
  for (it->SeekToLast(); it->Valid(); it->Prev()) ++back;
  EXPECT_EQ(back, count);
  return count;
}

struct PrefixCounts {
  std::uint64_t scans = 0;
  std::uint64_t probes = 0;
  std::uint64_t absent = 0;
};
PrefixCounts PrefixCountsOf(TestStore* store) {
  const StoreStats stats = (*store)->Stats();
  PrefixCounts counts{.scans = stats.prefix_scans};
  for (const LevelStats& level : stats.levels) {
    counts.probes += level.prefix_probes;
    counts.absent += level.prefix_absent;
  }
  return counts;
}

// Every user's scan is right; returns what was counted meanwhile.
PrefixCounts ScanUsers(TestStore* store) {
  const PrefixCounts before = PrefixCountsOf(store);
  for (int user = 0; user < kUsers; ++user) {
    const std::string prefix = User(user);
    EXPECT_EQ(KeysWithin(store, {.prefix = prefix}), user % 2 == 0 ? 5u : 0u);
  }
  PrefixCounts counts = PrefixCountsOf(store);
  counts.scans -= before.scans;
  counts.probes -= before.probes;
  counts.absent -= before.absent;
  return counts;
}

constexpr std::uint64_t kAbsent = kUsers / 2;
// Of the absent users so many are ruled out, at 1 % or better.
constexpr std::uint64_t kEnough = kAbsent - 10;

struct FilterCase {
  const char* name;
  const char* filter;
  std::optional<std::uint64_t> memory = {};
  std::uint64_t parts_above = 0;
  std::uint64_t enough = kEnough;
};
// For GoogleTest.
void PrintTo(const FilterCase& tested, std::ostream* out) {
  *out << tested.name;
}

class StorePrefixesOf : public ::testing::TestWithParam<FilterCase> {};

TEST_P(StorePrefixesOf, RuleOutTablesWithoutThePrefix) {
  const FilterCase& tested = GetParam();
  StoreOptions options = PrefixOptions("delimiter=:,count=2", tested.filter);
  options.filter_parts_above = tested.parts_above;
  TestStore store(options);
  FillUsers(&store);
  store.options().filter_memory_bytes = tested.memory;
  // So that it is known what there is to divide the memory over.
  if (tested.memory) store.options().filter_loading = FilterLoading::kAtOpening;
  // Its own seed, then the other one.
  for (const FilterSeed seed :
       {FilterSeed::kRandomPerStore, FilterSeed::kFixed}) {
    store.options().filter_seed = seed;
    store.Reopen();
    const PrefixCounts on = ScanUsers(&store);
    EXPECT_EQ(on.scans, static_cast<std::uint64_t>(kUsers));
    EXPECT_GE(on.absent, tested.enough);
    EXPECT_LE(on.absent, kAbsent);
    EXPECT_GE(on.probes, on.absent);
  }
  store.options().filter_use = FilterUse::kAlwaysMaybe;
  store.Reopen();
  EXPECT_GE(ScanUsers(&store).absent, tested.enough);
  store.options().filter_use = FilterUse::kOff;
  store.Reopen();
  EXPECT_EQ(ScanUsers(&store).probes, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Filters, StorePrefixesOf,
    ::testing::Values(FilterCase{"Lines", "bloom:10"},
                      FilterCase{"Seeded", "bloom:10,seed=5"},
                      FilterCase{"Ribbon", "ribbon:8"},
                      FilterCase{"Fuse", "fuse:8"},
                      FilterCase{"RocksDb", "rocksdb:10"},
                      FilterCase{"LevelDbWhole", "leveldb:10"},
                      FilterCase{"AllParts", "bloom:10", {}, 1},
                      FilterCase{"InParts", "bloom:10", 60'000, 1},
                      // Folded, it has some 4 %, and the seed is random.
                      FilterCase{"Folded", "bloom:40,fold=8", 2800, 0,
                                 kAbsent - 40}),
    [](const auto& tested) { return tested.param.name; });

// A block that is read is one that was looked for in the cache.
TEST(StorePrefixes, NothingIsReadOfATableThatIsRuledOut) {
  StoreOptions options = PrefixOptions("delimiter=:,count=2", "bloom:30");
  options.compression = Compression::kSnappy;
  TestStore store(options);
  for (int user = 0; user < kUsers; user += 2) {
    for (int item = 0; item < 5; ++item) {
      store.Put(User(user) + std::to_string(item), std::string(100, 'v'));
    }
  }
  store.Flush();
  const auto looked_for = [&] {
    const StoreStats stats = store->Stats();
    return stats.block_cache_hits + stats.block_cache_misses;
  };
  EXPECT_EQ(KeysWithin(&store, {.prefix = "user:7:"}), 0u);
  EXPECT_EQ(looked_for(), 0u);
  EXPECT_EQ(KeysWithin(&store, {.prefix = "user:8:"}), 5u);
  EXPECT_GT(looked_for(), 0u);
}

TEST(StorePrefixes, AreAskedForBoundsWithinOneAndNoOthers) {
  TestStore store(PrefixOptions("delimiter=:,count=2"));
  FillUsers(&store);
  const auto probes = [&](const ReadOptions& options) {
    const std::uint64_t before = PrefixCountsOf(&store).probes;
    (void)KeysWithin(&store, options);
    return PrefixCountsOf(&store).probes - before;
  };
  EXPECT_EQ(probes({.prefix = "user:7:"}), 1u);
  EXPECT_EQ(probes({.prefix = "user:7:item"}), 1u);
  EXPECT_EQ(probes({.lower_bound = "user:7:", .upper_bound = "user:7;"}), 1u);
  EXPECT_EQ(probes({.lower_bound = "user:7:a", .upper_bound = "user:7:b"}), 1u);
  EXPECT_EQ(probes({.lower_bound = "user:7:a", .prefix = "user:7"}), 0u);
  EXPECT_EQ(probes({.lower_bound = "user:7:a",
                    .upper_bound = "user:7:b",
                    .prefix = "user:7"}),
            1u);
  // A shorter prefix, or a bound beyond the last key of one.
  EXPECT_EQ(probes({.prefix = "user:7"}), 0u);
  EXPECT_EQ(probes({.lower_bound = "user:7:", .upper_bound = "user:7;\0"}), 1u);
  const std::string beyond("user:7;\0", 8);
  EXPECT_EQ(probes({.lower_bound = "user:7:", .upper_bound = beyond}), 0u);
  EXPECT_EQ(probes({.lower_bound = "user:7:"}), 0u);
  EXPECT_EQ(probes({.upper_bound = "user:7:"}), 0u);
  // The table certainly has some of these: its first and its last key.
  EXPECT_EQ(probes({.prefix = "user:0:"}), 0u);
  EXPECT_EQ(probes({.prefix = "user:98:"}), 0u);
}

TEST(StorePrefixes, OfAnotherExtractorAreNotAsked) {
  TestStore store(PrefixOptions("delimiter=:,count=2"));
  FillUsers(&store);
  for (const char* other : {"", "fixed=7", "delimiter=:", "fixed=6"}) {
    store.options().prefix_extractor = other;
    store.Reopen();
    EXPECT_EQ(ScanUsers(&store).probes, 0u) << other;
  }
  // Tables of both at once, and of none.
  store.options().prefix_extractor = "fixed=6";
  store.Reopen();
  store.Put("user:1:x", "v");
  store.Put("user:9:x", "v");
  store.Flush();
  EXPECT_EQ(KeysWithin(&store, {.prefix = "user:8:"}), 5u);
  EXPECT_EQ(KeysWithin(&store, {.prefix = "user:7:"}), 0u);
  EXPECT_EQ(KeysWithin(&store, {.prefix = "user:9:"}), 1u);
  EXPECT_GT(PrefixCountsOf(&store).absent, 0u);
  store.options().prefix_extractor = "delimiter=:,count=2";
  store.Reopen();
  EXPECT_EQ(KeysWithin(&store, {.prefix = "user:9:"}), 1u);
  EXPECT_EQ(KeysWithin(&store, {.prefix = "user:8:"}), 5u);
}

TEST(StorePrefixes, ComeWithTheFilterAndAreNotInLevelDbs) {
  StoreOptions options = PrefixOptions("delimiter=:,count=2", "");
  options.leveldb_filter_bits = 10;
  TestStore store(options);
  FillUsers(&store);
  EXPECT_EQ(ScanUsers(&store).probes, 0u);
  const auto tables = ListStoreTables(TestStore::dir(), store.options());
  ASSERT_TRUE(tables.ok());
  EXPECT_EQ(tables->front().prefix_extractor, "");
}

// The filter is sized for keys and prefixes, so its rate stays.
TEST(StorePrefixes, CountAsKeysOfTheFilter) {
  constexpr int kMany = 20'000;
  StoreOptions options = PrefixOptions("fixed=9", "bloom:8");
  TestStore store(options);
  // Every key has a prefix of its own.
  for (int i = 0; i < kMany; ++i) {
    store.Put(testing::NumberKey(static_cast<std::uint64_t>(2 * i)) + "-value",
              "v");
  }
  store.Flush();
  EXPECT_EQ(store->Stats().levels[0].filters_loaded, 1u);
  EXPECT_EQ(store->Stats().levels[0].filter_keys,
            static_cast<std::uint64_t>(2 * kMany));
  for (int i = 0; i < kMany; ++i) {
    ASSERT_EQ(store.Get(testing::NumberKey(static_cast<std::uint64_t>(2 * i)) +
                        "-absent"),
              "(none)");
  }
  const FilterCounts counts = store->Stats().filters();
  EXPECT_NEAR(counts.observed_rate(), counts.expected_rate(),
              0.2 * counts.expected_rate());
  EXPECT_LT(counts.observed_rate(), 0.03);
}

std::shared_ptr<const PrefixExtractor> FirstHalf() {
  return *NewPrefixExtractor("test.halves", [](Slice key) {
    return std::optional((key.size() + 1) / 2);
  });
}

TEST(StorePrefixes, AreNotBuiltByAnExtractorThatBreaksTheRule) {
  StoreOptions options = PrefixOptions("");
  options.custom_prefix_extractor = FirstHalf();
  TestStore store(options);
  store.Put("abcd", "v");
  store.Put("abcdefgh", "v");
  store.Put("zz", "v");
  store.Flush();
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.filters_not_built, 1u);
  EXPECT_NE(stats.last_filter_not_built.find("its prefixes: "),
            std::string::npos)
      << stats.last_filter_not_built;
  EXPECT_EQ(KeysWithin(&store, {.prefix = "ab"}), 2u);
  EXPECT_EQ(store.Get("abcd"), "v");
  EXPECT_EQ(PrefixCountsOf(&store).probes, 0u);
}

TEST(StorePrefixes, AreNotBuiltByAnExtractorThatThrows) {
  StoreOptions options = PrefixOptions("");
  options.custom_prefix_extractor = *NewPrefixExtractor(
      "test.throws", [](Slice key) -> std::optional<std::size_t> {
        if (key.starts_with("user:2")) throw std::runtime_error("on purpose");
        return 7;
      });
  TestStore store(options);
  FillUsers(&store);
  EXPECT_EQ(store->Stats().filters_not_built, 1u);
  EXPECT_EQ(ScanUsers(&store).probes, 0u);
}

TEST(StorePrefixes, OfTheProgramAreUsedByItsNameAlone) {
  const auto extractor = *NewPrefixExtractor("test.upto", [](Slice key) {
    const std::size_t at = key.find(':', key.find(':') + 1);
    return at == Slice::npos ? std::nullopt : std::optional(at + 1);
  });
  StoreOptions options = PrefixOptions("");
  options.custom_prefix_extractor = extractor;
  TestStore store(options);
  FillUsers(&store);
  EXPECT_GE(ScanUsers(&store).absent, kEnough);
  const auto remembered = ReadStoreSettings(TestStore::dir(), &store.env());
  ASSERT_TRUE(remembered.ok());
  EXPECT_EQ(remembered->custom_prefix_extractor, "test.upto");
  EXPECT_FALSE(remembered->prefix_extractor);
  // The command has no such function: it does without.
  store.options().custom_prefix_extractor = nullptr;
  remembered->ApplyTo(&store.options());
  store.Reopen();
  EXPECT_EQ(ScanUsers(&store).probes, 0u);
  const Result<CheckReport> check =
      CheckStore(TestStore::dir(), store.options());
  ASSERT_TRUE(check.ok());
  EXPECT_TRUE(check->problems.empty());
}

TEST(StorePrefixes, AreRefusedWhereTheyMakeNoSense) {
  TestStore store;
  store.Close();
  const auto refused = [&] {
    const Status status = store.TryOpen();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return status.message();
  };
  store.options().prefix_extractor = "fixed=none";
  EXPECT_NE(refused().find("prefix extractor \"fixed=none\""),
            std::string::npos);
  store.options().prefix_extractor = "fixed=4";
  store.options().custom_prefix_extractor = FirstHalf();
  EXPECT_NE(refused().find("exclude each other"), std::string::npos);
  store.options().custom_prefix_extractor = nullptr;
  const testing::Backwards backwards;
  store.options().comparator = &backwards;
  EXPECT_NE(refused().find("ordered by their bytes"), std::string::npos);
}

TEST(StorePrefixes, AreRememberedAndRewrittenByCompaction) {
  StoreOptions options = PrefixOptions("delimiter=0x3a,count=2");
  TestStore store(options);
  FillUsers(&store);
  auto remembered = ReadStoreSettings(TestStore::dir(), &store.env());
  ASSERT_TRUE(remembered.ok());
  EXPECT_EQ(remembered->prefix_extractor, "delimiter=:,count=2");
  const auto rewritten = [&](const std::string& extractor) {
    store.options().prefix_extractor = extractor;
    store.options().remember_settings = true;
    store.Reopen();
    CompactOptions compact;
    compact.rewrite_what_differs = true;
    const Result<CompactReport> report = store->CompactWith(compact);
    EXPECT_TRUE(report.ok());
    const auto tables = ListStoreTables(TestStore::dir(), store.options());
    EXPECT_EQ(tables->front().prefix_extractor, extractor);
    return report->rewritten;
  };
  (void)rewritten("delimiter=:,count=2");
  EXPECT_EQ(rewritten("delimiter=:,count=2"), 0u);
  EXPECT_EQ(rewritten("fixed=6"), 1u);
  EXPECT_EQ(rewritten("fixed=6"), 0u);
  EXPECT_EQ(rewritten(""), 1u);
  EXPECT_EQ(rewritten(""), 0u);
  remembered = ReadStoreSettings(TestStore::dir(), &store.env());
  EXPECT_FALSE(remembered->prefix_extractor);
}

// ---- filters beside tables

TEST(StorePrefixes, OfFiltersBesideTablesAreThoseThatTheFileNames) {
  TestStore store(PrefixOptions("", ""));
  FillUsers(&store);
  store.Close();
  const auto make = [&](const std::string& extractor) {
    StoreOptions options = store.options();
    options.filter = "bloom:10";
    options.prefix_extractor = extractor;
    const auto made = MakeFilterFiles(TestStore::dir(), options);
    EXPECT_TRUE(made.ok() && made->failed == 0);
    return made->made;
  };
  const auto absent = [&](const std::string& extractor) {
    store.options().prefix_extractor = extractor;
    store.Open();
    const std::uint64_t ruled_out = ScanUsers(&store).absent;
    store.Close();
    return ruled_out;
  };
  EXPECT_EQ(make("delimiter=:,count=2"), 1u);
  EXPECT_EQ(make("delimiter=:,count=2"), 0u);
  EXPECT_GE(absent("delimiter=:,count=2"), kEnough);
  EXPECT_EQ(absent("fixed=7"), 0u);
  EXPECT_EQ(absent(""), 0u);
  const auto check = CheckStore(TestStore::dir(), store.options());
  ASSERT_TRUE(check.ok());
  EXPECT_TRUE(check->problems.empty());
  // What nobody asks for does no harm; what is missing is made.
  EXPECT_EQ(make(""), 0u);
  EXPECT_EQ(make("fixed=7"), 1u);
  EXPECT_EQ(absent("delimiter=:,count=2"), 0u);
  EXPECT_GT(absent("fixed=7"), 0u);
}

// A file without prefixes takes the place of the table's filter with them.
TEST(StorePrefixes, AreNotExpectedOfAFilterBesideThatLacksThem) {
  TestStore store(PrefixOptions("delimiter=:,count=2"));
  FillUsers(&store);
  store.Close();
  StoreOptions options = store.options();
  options.filter = "ribbon:8";
  options.prefix_extractor = "";
  const auto made = MakeFilterFiles(TestStore::dir(), options);
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made->made, 1u);
  store.Open();
  EXPECT_EQ(ScanUsers(&store).probes, 0u);
}

// As docs/formats/filter-file.md has it: the second version, which names the
// extractor after the policy.
TEST(StorePrefixes, OfAFilterBesideAreNamedInItsFile) {
  TestStore store(PrefixOptions("", ""));
  FillUsers(&store);
  store.Close();
  StoreOptions options = store.options();
  options.filter = "bloom:10";
  for (const char* extractor : {"", "fixed=7"}) {
    options.prefix_extractor = extractor;
    ASSERT_TRUE(MakeFilterFiles(TestStore::dir(), options).ok());
    const std::string file = store.env().Contents(store.Files(".filter").at(0));
    const std::string name = extractor;
    EXPECT_EQ(file[8], name.empty() ? 1 : 2);
    EXPECT_EQ(file[56], static_cast<char>(name.size()));
    EXPECT_EQ(file.substr(57, 3), std::string(3, '\0'));
    EXPECT_TRUE(
        file.substr(64).starts_with("tamis.Filter1" + name + "\x89TAMIS"));
  }
}

TEST(StorePrefixes, AreMadeBesideTablesInTheBackground) {
  TestStore store(PrefixOptions("", ""));
  FillUsers(&store);
  store.options().filter = "bloom:10";
  store.options().prefix_extractor = "delimiter=:,count=2";
  store.options().filter_files = true;
  store.Reopen();
  EXPECT_EQ(store.Get("user:7:"), "(none)");
  ASSERT_TRUE(testing::ComesTrue(
      [&] { return store->Stats().filter_files_made == 1; }));
  // It is used once it is loaded.
  EXPECT_TRUE(
      testing::ComesTrue([&] { return ScanUsers(&store).absent >= kEnough; }));
}

// ---- random operations

std::string RandomColonKey(std::mt19937_64* random) {
  constexpr char kAlphabet[] = {'a', 'b', ':', '\0', '\xff'};
  std::string key((*random)() % 7, ' ');
  for (char& c : key) c = kAlphabet[(*random)() % std::size(kAlphabet)];
  return key;
}

std::optional<std::string> FirstAfter(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (prefix.empty()) return std::nullopt;
  ++prefix.back();
  return prefix;
}

// An iterator with random bounds shows what the model has within them, both
// ways and from anywhere.
void ExpectScanIsRight(TestStore* store, const PrefixModel& model,
                       const Snapshot* snapshot, std::mt19937_64* random) {
  std::string first = RandomColonKey(random);
  std::string second = RandomColonKey(random);
  ReadOptions options{.snapshot = snapshot};
  switch ((*random)() % 4) {
    case 0:
      options.prefix = first;
      break;
    case 1:
      options.lower_bound = first;
      if (const auto end = FirstAfter(first.substr(0, 1 + (*random)() % 4))) {
        second = *end;
        options.upper_bound = second;
      }
      break;
    case 2:
      second = first + second;
      options.lower_bound = first;
      options.upper_bound = second;
      break;
    default:
      options.lower_bound = first;
      options.upper_bound = second;
      options.prefix = Slice(first).substr(0, (*random)() % 3);
      break;
  }
  PrefixModel wanted;
  for (const auto& [key, value] : model) {
    if (options.lower_bound && Slice(key) < *options.lower_bound) continue;
    if (options.upper_bound && Slice(key) >= *options.upper_bound) continue;
    if (options.prefix && !key.starts_with(*options.prefix)) continue;
    wanted.emplace(key, value);
  }
  const auto it = (*store)->NewIterator(options);
  auto at = wanted.begin();
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++at) {
    ASSERT_NE(at, wanted.end());
    ASSERT_EQ(it->key(), at->first);
    ASSERT_EQ(it->value(), at->second);
  }
  ASSERT_EQ(at, wanted.end());
  auto back = wanted.rbegin();
  for (it->SeekToLast(); it->Valid(); it->Prev(), ++back) {
    ASSERT_NE(back, wanted.rend());
    ASSERT_EQ(it->key(), back->first);
  }
  ASSERT_EQ(back, wanted.rend());
  const std::string target = RandomColonKey(random);
  it->Seek(target);
  const auto found = wanted.lower_bound(target);
  ASSERT_EQ(it->Valid(), found != wanted.end());
  if (it->Valid()) {
    ASSERT_EQ(it->key(), found->first);
  }
  it->SeekForPrev(target);
  const auto after = wanted.upper_bound(target);
  ASSERT_EQ(it->Valid(), after != wanted.begin());
  if (it->Valid()) {
    ASSERT_EQ(it->key(), std::prev(after)->first);
  }
  ASSERT_TRUE(it->status().ok());
}

void ChooseExtractor(std::mt19937_64* random, StoreOptions* options) {
  constexpr const char* kExtractors[] = {
      "",         "fixed=1",     "fixed=2",
      "fixed=3",  "delimiter=:", "delimiter=:,count=2",
      "fixed=65", "delimiter=a", "delimiter=0xff"};
  const std::uint64_t which = (*random)() % (std::size(kExtractors) + 1);
  options->custom_prefix_extractor = nullptr;
  options->prefix_extractor = "";
  if (which < std::size(kExtractors)) {
    options->prefix_extractor = kExtractors[which];
    return;
  }
  // Up to the first 'b', or the first three bytes if they have none.
  options->custom_prefix_extractor =
      *NewPrefixExtractor("test.b-or-3", [](Slice key) {
        const std::size_t at = key.substr(0, 3).find('b');
        if (at != Slice::npos) return std::optional(at + 1);
        return key.size() < 3 ? std::nullopt : std::optional<std::size_t>(3);
      });
}

void RunWithPrefixes(FilterUse use, std::uint64_t seed, int operations) {
  std::mt19937_64 random(seed);
  StoreOptions options = SmallOptions();
  testing::ChooseFilters(random(), &options);
  options.filter_use = use;
  options.level0_compact_at = static_cast<unsigned>(2 + random() % 6);
  ChooseExtractor(&random, &options);
  TestStore store(options);
  PrefixModel model;
  std::unique_ptr<const Snapshot> snapshot;
  PrefixModel then;
  for (int i = 0; i < operations && !::testing::Test::HasFatalFailure(); ++i) {
    const std::uint64_t what = random() % 100;
    const std::string key = RandomColonKey(&random);
    if (what < 45) {
      const std::string value(random() % 60, static_cast<char>('a' + i % 26));
      store.Put(key, value);
      model[key] = value;
    } else if (what < 60) {
      store.Delete(key);
      model.erase(key);
    } else if (what < 94) {
      ExpectScanIsRight(&store, model, nullptr, &random);
      if (snapshot != nullptr) {
        ExpectScanIsRight(&store, then, snapshot.get(), &random);
      }
    } else if (what < 95) {
      snapshot = store->GetSnapshot();
      then = model;
    } else if (what < 98) {
      store.Flush();
    } else if (what < 99) {
      store.Compact();
    } else {
      snapshot.reset();
      ChooseExtractor(&random, &store.options());
      store.Reopen();
    }
  }
  ASSERT_EQ(KeysWithin(&store, {}), model.size());
}

// ---- from many threads

// A filter may be dropped between any two steps of a scan that asks it.
TEST(StorePrefixThreads, ScanWhileTheLimitChanges) {
  TestStore store(PrefixOptions("delimiter=:,count=2"));
  for (int table = 0; table < 30; ++table) {
    store.Put(User(10), "v");
    store.Put(User(90), "v");
    store.Flush();
  }
  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> wrong{0};
  std::thread reader([&] {
    const std::string absent = User(50);
    const std::string present = User(90);
    for (int i = 0; !is_over.load(); ++i) {
      const bool is_there = i % 64 == 0;
      const auto it =
          store->NewIterator({.prefix = is_there ? present : absent});
      it->SeekToFirst();
      wrong += it->Valid() == is_there ? 0u : 1u;
    }
  });
  for (int i = 0; i < 200; ++i) {
    EXPECT_TRUE(store->SetFilterMemory(i % 2 == 0 ? 0 : 1'000'000).ok());
  }
  is_over = true;
  reader.join();
  EXPECT_EQ(wrong.load(), 0u);
}

class StorePrefixesModel : public ::testing::TestWithParam<FilterUse> {};

TEST_P(StorePrefixesModel, ScansAreLikeThoseOfAMapWhateverTheExtractors) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    RunWithPrefixes(GetParam(), seed, 700);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Uses, StorePrefixesModel,
                         ::testing::Values(FilterUse::kOn, FilterUse::kOff,
                                           FilterUse::kAlwaysMaybe),
                         [](const auto& tested) {
                           return "n" + std::to_string(tested.index);
                         });

}  // namespace
}  // namespace tamis
