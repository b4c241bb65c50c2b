// SPDX-License-Identifier: Apache-2.0
// What filters save a store, what it counts of them, and what it does with
// damaged ones.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"
#include "tests/store/table_parts.h"
#include "tests/support/failing_new.h"

namespace tamis {
namespace {

using testing::PartPlaces;
using testing::PartsOf;
using testing::SmallOptions;
using testing::StillOptions;
using testing::TestStore;

constexpr std::uint64_t kStoredKeys = 5000;

// Spread like random bytes: LevelDB's hash maps similar keys to similar bits.
std::string MixedKey(std::uint64_t number) {
  number = (number + 1) * 0x9e3779b97f4a7c15u;
  number = (number ^ number >> 32) * 0xd6e8feb86659fd93u;
  number ^= number >> 32;
  std::string key;
  for (int i = 0; i < 16; ++i, number >>= 4)
    key += "0123456789abcdef"[number & 15];
  return key;
}

// Even numbers, so that the odd ones are absent and within all ranges.
void FillEven(TestStore* store) {
  for (std::uint64_t i = 0; i < kStoredKeys; ++i) {
    const std::uint64_t number = i * 7919 % kStoredKeys * 2;
    store->Put(MixedKey(number), "value " + std::to_string(number));
  }
  store->Flush();
  ASSERT_TRUE((*store)->WaitForQuiet().ok());
}
void ExpectAnswersEven(TestStore* store) {
  for (std::uint64_t i = 0; i < 2 * kStoredKeys; ++i) {
    ASSERT_EQ(store->Get(MixedKey(i)),
              i % 2 == 0 ? "value " + std::to_string(i) : "(none)");
  }
}

std::uint64_t BlocksRead(const StoreStats& stats) {
  std::uint64_t blocks = 0;
  for (const LevelStats& level : stats.levels) blocks += level.blocks_read;
  return blocks;
}

// Several tables of one level: every lookup asks one filter.
StoreOptions OneLevelOptions(const char* filter) {
  StoreOptions options = StillOptions();
  options.table_bytes = std::uint64_t{32} << 10;
  options.filter = filter;
  return options;
}

class StoreFiltersOf : public ::testing::TestWithParam<const char*> {};

TEST_P(StoreFiltersOf, CountersAddUpAndFitTheExpectedRate) {
  TestStore store(OneLevelOptions(GetParam()));
  FillEven(&store);
  store.Compact();
  ExpectAnswersEven(&store);
  const StoreStats stats = store->Stats();
  std::uint64_t probes = 0;
  for (const LevelStats& level : stats.levels) {
    const FilterCounts& f = level.filters;
    EXPECT_EQ(f.probes, f.absent + f.true_positives + f.false_positives);
    EXPECT_EQ(level.tables_read, f.true_positives + f.false_positives);
    EXPECT_EQ(level.unfiltered, 0u);
    probes += f.probes;
  }
  const FilterCounts all = stats.filters();
  EXPECT_EQ(all.probes, probes);
  EXPECT_EQ(all.true_positives, kStoredKeys);
  EXPECT_EQ(stats.lookups, 2 * kStoredKeys);
  EXPECT_EQ(stats.lookups_found, kStoredKeys);
  EXPECT_EQ(stats.damaged_filters, 0u);
  ASSERT_GT(all.absent, kStoredKeys / 2);
  const double expected = all.expected_false_positives;
  EXPECT_GT(expected, 0);
  EXPECT_NEAR(static_cast<double>(all.false_positives), expected,
              5 * std::sqrt(expected) + 1);
}

TEST_P(StoreFiltersOf, MissesReadHardlyAnyBlock) {
  TestStore store(OneLevelOptions(GetParam()));
  FillEven(&store);
  store.Compact();
  for (std::uint64_t i = 1; i < 2 * kStoredKeys; i += 2) {
    ASSERT_EQ(store.Get(MixedKey(i)), "(none)");
  }
  const StoreStats stats = store->Stats();
  const double blocks = stats.blocks_read_per_lookup();
  EXPECT_DOUBLE_EQ(blocks, static_cast<double>(BlocksRead(stats)) /
                               static_cast<double>(kStoredKeys));
  EXPECT_LT(blocks, 0.03);
}

INSTANTIATE_TEST_SUITE_P(Kinds, StoreFiltersOf,
                         ::testing::Values("bloom:10", "leveldb:10",
                                           "classic:10", "rocksdb-ribbon:10"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase_if(name, [](char c) {
                             return c == ':' || c == '-';
                           });
                           return name;
                         });

// LevelDB's filter needs the index first, and is counted all the same.
TEST(StoreFilters, OfLevelDbAloneAreCountedToo) {
  StoreOptions options = SmallOptions();
  options.filter = "";
  TestStore store(options);
  FillEven(&store);
  ExpectAnswersEven(&store);
  const StoreStats stats = store->Stats();
  EXPECT_GT(stats.filters().absent, kStoredKeys / 2);
  EXPECT_GE(stats.filters().true_positives, kStoredKeys);
  EXPECT_LT(BlocksRead(stats), kStoredKeys + kStoredKeys / 10);
}

TEST(StoreFilters, ThatAreOffAreNeitherLoadedNorAsked) {
  StoreOptions options = SmallOptions();
  options.filter_use = FilterUse::kOff;
  TestStore store(options);
  FillEven(&store);
  ExpectAnswersEven(&store);
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.filters().probes, 0u);
  std::uint64_t unfiltered = 0;
  for (const LevelStats& level : stats.levels) {
    EXPECT_EQ(level.filters_loaded, 0u);
    EXPECT_EQ(level.filter_bytes, 0u);
    unfiltered += level.unfiltered;
  }
  // A key between two tables of a level is in none of them.
  EXPECT_GT(unfiltered, 2 * kStoredKeys - kStoredKeys / 20);
}

// The same counts as if they were believed, and the reads they would save.
TEST(StoreFilters, ThatAreNotBelievedAreCountedTheSame) {
  StoreOptions options = StillOptions();
  TestStore store(options);
  FillEven(&store);
  ExpectAnswersEven(&store);
  const StoreStats believed = store->Stats();
  store.options().filter_use = FilterUse::kAlwaysMaybe;
  store.Reopen();
  ExpectAnswersEven(&store);
  const StoreStats doubted = store->Stats();
  EXPECT_EQ(doubted.filters().absent, believed.filters().absent);
  EXPECT_EQ(doubted.filters().false_positives,
            believed.filters().false_positives);
  EXPECT_EQ(doubted.filters().true_positives,
            believed.filters().true_positives);
  EXPECT_EQ(doubted.levels[0].tables_read, doubted.filters().probes);
  EXPECT_GT(BlocksRead(doubted), BlocksRead(believed) + kStoredKeys * 9 / 10);
}

TEST(StoreFilters, AreLoadedWhenFirstAskedOrAtOpening) {
  TestStore store(StillOptions());
  store.Put("a", "1");
  store.Flush();
  store.Put("b", "1");
  store.Flush();
  store.Reopen();
  EXPECT_EQ(store->Stats().levels[0].filters_loaded, 0u);
  EXPECT_EQ(store.Get("b"), "1");
  EXPECT_EQ(store->Stats().levels[0].filters_loaded, 1u);
  store.options().filter_loading = FilterLoading::kAtOpening;
  store.Reopen();
  EXPECT_EQ(store->Stats().levels[0].filters_loaded, 2u);
  EXPECT_GT(store->Stats().levels[0].filter_bytes, 0u);
}

TEST(StoreFilters, StayInMemoryDuringAScan) {
  StoreOptions options = SmallOptions();
  options.block_cache_bytes = 4096;
  options.filter_loading = FilterLoading::kAtOpening;
  TestStore store(options);
  FillEven(&store);
  store.Reopen();
  const auto loaded = [&] {
    std::uint64_t sum = 0;
    for (const LevelStats& level : store->Stats().levels) {
      sum += level.filters_loaded;
    }
    return sum;
  };
  const std::uint64_t before = loaded();
  EXPECT_GT(before, 5u);
  (void)store.All();
  EXPECT_EQ(loaded(), before);
}

TEST(StoreFilters, RuleAMissOutWithoutAllocating) {
  TestStore store(SmallOptions());
  FillEven(&store);
  const std::string long_miss(180, '0');
  std::string value;
  std::uint64_t allocating = 0;
  for (std::uint64_t i = 1; i < 400; i += 2) {
    const std::string key = i % 4 == 1 ? MixedKey(i) : long_miss;
    const std::uint64_t blocks = BlocksRead(store->Stats());
    (void)store->Get({}, key, &value);  // loads filters, makes slots
    if (BlocksRead(store->Stats()) != blocks) continue;
    testing::AllowAllocations(0);
    const Status got = store->Get({}, key, &value);
    testing::AllowAllocations(-1);
    allocating += got.code() != StatusCode::kNotFound;
  }
  EXPECT_EQ(allocating, 0u);
}

// ---- Damage ----

// Does something to the bytes of the store's only table.
template <typename Damage>
void DamageTable(TestStore* store, const Damage& damage) {
  const std::vector<std::string> tables = store->Files(".ldb");
  ASSERT_EQ(tables.size(), 1u);
  const PartPlaces parts = PartsOf(&store->env(), tables[0]);
  std::string bytes = store->env().Contents(tables[0]);
  damage(&bytes, parts);
  store->env().SetContents(tables[0], bytes);
}

TEST(StoreFilters, ThatAreDamagedCostReadsAndHideNothing) {
  for (const bool resealed : {false, true}) {
    StoreOptions options = StillOptions();
    options.leveldb_filter_bits = 0;
    TestStore store(options);
    FillEven(&store);
    store.Close();
    DamageTable(&store, [&](std::string* bytes, const PartPlaces& parts) {
      ASSERT_GT(parts.own_filter.size, 100u);
      for (std::uint64_t i = 0; i < parts.own_filter.size; ++i) {
        (*bytes)[parts.own_filter.offset + i] = '\0';
      }
      if (resealed) testing::Reseal(bytes, parts.own_filter);
    });
    store.Open();
    ExpectAnswersEven(&store);
    const StoreStats stats = store->Stats();
    EXPECT_EQ(stats.damaged_filters, 1u);
    EXPECT_NE(stats.last_filter_damage.find(".ldb"), std::string::npos);
    EXPECT_EQ(stats.levels[0].unfiltered, stats.levels[0].tables_read);
    EXPECT_NE(
        store->Property("tamis.stats").value().find(stats.last_filter_damage),
        std::string::npos);
    EXPECT_NE(store.env().Contents("/db/LOG").find(stats.last_filter_damage),
              std::string::npos);
    const Explanation told = store->Explain({}, MixedKey(2));
    EXPECT_FALSE(told.steps.back().note.empty());
  }
}

TEST(StoreFilters, ThatLoseAnyBitHideNothing) {
  StoreOptions options = StillOptions();
  TestStore store(options);
  for (std::uint64_t i = 0; i < 40; ++i) store.Put(MixedKey(i), "v");
  store.Flush();
  store.Close();
  const std::string path = store.Files(".ldb").front();
  const std::string whole = store.env().Contents(path);
  const PartPlaces parts = PartsOf(&store.env(), path);
  const std::uint64_t first =
      std::min(parts.own_filter.offset, parts.leveldb_filter.offset);
  const std::uint64_t end =
      parts.footer.metaindex.offset + parts.footer.metaindex.size + 5;
  for (std::uint64_t at = first; at < end; ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    store.env().SetContents(path, bytes);
    store.Open();
    for (std::uint64_t i = 0; i < 40; ++i) {
      ASSERT_EQ(store.Get(MixedKey(i)), "v") << at;
    }
    store.Close();
  }
}

TEST(StoreFilters, OfAnUnknownKindAreReadAsIfThereWereNone) {
  StoreOptions options = StillOptions();
  options.leveldb_filter_bits = 0;
  TestStore store(options);
  FillEven(&store);
  store.Close();
  DamageTable(&store, [](std::string* bytes, const PartPlaces& parts) {
    const BlockHandle& meta = parts.footer.metaindex;
    const std::size_t at = bytes->find("Filter1", meta.offset);
    ASSERT_LT(at, meta.offset + meta.size);
    (*bytes)[at + 6] = '9';
    testing::Reseal(bytes, meta);
  });
  store.Open();
  ExpectAnswersEven(&store);
  EXPECT_EQ(store->Stats().filters().probes, 0u);
  EXPECT_EQ(store->Stats().levels[0].unfiltered,
            store->Stats().levels[0].tables_read);
}

}  // namespace
}  // namespace tamis
