// SPDX-License-Identifier: Apache-2.0
// What Compact() leaves, how large things are, and what a store tells of
// itself.

#include <array>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::NumberKey;
using testing::SmallOptions;
using testing::StillOptions;
using testing::TestStore;

std::uint64_t EntriesOnDisk(TestStore* store) {
  const auto checked = CheckStore(TestStore::dir(), store->options());
  EXPECT_TRUE(checked.ok());
  for (const std::string& problem : checked->problems) ADD_FAILURE() << problem;
  return checked->entries;
}

TEST(StoreCompact, DropsWhatIsOverwrittenOrDeleted) {
  TestStore store(StillOptions());
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t i = 0; i < 100; ++i) {
      store.Put(NumberKey(i), std::to_string(round));
    }
    store.Flush();
  }
  for (std::uint64_t i = 0; i < 50; ++i) store.Delete(NumberKey(i));
  store.Compact();
  EXPECT_EQ(EntriesOnDisk(&store), 50u);
  EXPECT_EQ(store.TablesAt(0), 0u);
  EXPECT_EQ(store.Get(NumberKey(49)), "(none)");
  EXPECT_EQ(store.Get(NumberKey(50)), "2");
}

TEST(StoreCompact, DropsWhatASnapshotHeld) {
  TestStore store(StillOptions());
  store.Put("a", "1");
  store.Put("b", "1");
  auto snapshot = store->GetSnapshot();
  store.Put("a", "2");
  store.Delete("b");
  store.Flush();
  store.Compact();
  EXPECT_EQ(store.All(snapshot.get()), "a=1 b=1");
  EXPECT_EQ(EntriesOnDisk(&store), 4u);
  snapshot.reset();
  store.Put("c", "1");
  store.Put("a", "3");
  store.Compact();
  EXPECT_EQ(store.All(), "a=3 c=1");
  EXPECT_EQ(EntriesOnDisk(&store), 2u);
}

TEST(StoreCompact, DropsFromASingleTableToo) {
  TestStore store(StillOptions());
  store.Put("a", "1");
  store.Delete("b");
  auto snapshot = store->GetSnapshot();
  store.Put("a", "2");
  store.Flush();
  EXPECT_EQ(EntriesOnDisk(&store), 3u);
  snapshot.reset();
  store.Compact();
  EXPECT_EQ(EntriesOnDisk(&store), 1u);
  EXPECT_EQ(store.All(), "a=2");
}

TEST(StoreCompact, LeavesNothingOfAStoreThatWasEmptied) {
  TestStore store(SmallOptions());
  for (std::uint64_t i = 0; i < 2000; ++i) {
    store.Put(NumberKey(i), std::string(50, 'x'));
  }
  for (std::uint64_t i = 0; i < 2000; ++i) store.Delete(NumberKey(i));
  store.Compact();
  EXPECT_EQ(store.All(), "");
  EXPECT_EQ(EntriesOnDisk(&store), 0u);
  // A thread that has flushed may hold the version before for a moment.
  ASSERT_TRUE(store->WaitForQuiet().ok());
  EXPECT_TRUE(store.Files(".ldb").empty());
}

TEST(StoreCompact, OfARangeLeavesTheRestAlone) {
  StoreOptions options = SmallOptions();
  options.automatic_compaction = false;
  TestStore store(options);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    store.Put(NumberKey(i), std::string(100, 'x'));
  }
  store.Compact();
  for (std::uint64_t i = 0; i < 1000; ++i) store.Delete(NumberKey(i));
  store.Flush();
  const std::string start = NumberKey(100);
  const std::string end = NumberKey(200);
  ASSERT_TRUE(store->Compact(KeyRange::Between(start, end)).ok());
  EXPECT_EQ(store.All(), "");
}

// Tables of others, or of other times, get the filter that is wanted now; and
// it ends, also where filters are not looked at.
TEST(StoreCompact, GivesTablesTheFilterThatIsWanted) {
  StoreOptions options = StillOptions();
  options.filter = "";
  TestStore store(options);
  for (std::uint64_t i = 0; i < 2000; ++i) store.Put(NumberKey(i), "value");
  store.Put("a", "1");
  store.Compact();
  store.options().filter = "bloom:10";
  store.options().filter_use = FilterUse::kOff;
  store.Reopen();
  store.Compact();
  store.options().filter_use = FilterUse::kOn;
  store.Reopen();
  EXPECT_EQ(store->Explain({}, "a").steps.back().filter, "leveldb");
  store.Compact();
  EXPECT_EQ(store->Explain({}, "a").steps.back().filter, "bloom");
  EXPECT_EQ(store->Stats().compactions, 1u);
  store.Compact();
  EXPECT_EQ(store->Stats().compactions, 1u);
}

TEST(StoreCompact, OfAnEmptyStoreDoesNothing) {
  TestStore store;
  store.Compact();
  EXPECT_EQ(store.All(), "");
  store.Flush();
  EXPECT_EQ(store->Stats().flushes, 0u);
  ASSERT_TRUE(store->WaitForQuiet().ok());
}

TEST(StoreCompact, KeepsLevelsWithinTheirLimits) {
  TestStore store(SmallOptions());
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    store.Put(NumberKey(i * 7919 % 20'000), NumberKey(i) + NumberKey(~i));
  }
  store.Flush();
  ASSERT_TRUE(store->WaitForQuiet().ok());
  const StoreStats stats = store->Stats();
  EXPECT_LT(stats.levels[0].tables, store.options().level0_compact_at);
  EXPECT_LT(stats.levels[1].bytes, store.options().level1_bytes);
  EXPECT_LT(stats.levels[2].bytes, store.options().level1_bytes * 4);
  EXPECT_GT(stats.levels[3].tables, 0u);
  EXPECT_GT(stats.compactions, 0u);
  EXPECT_EQ(EntriesOnDisk(&store), 20'000u);
}

TEST(StoreCompact, RemovesTheFilesItReplaced) {
  TestStore store(SmallOptions());
  for (std::uint64_t i = 0; i < 3000; ++i) {
    store.Put(NumberKey(i % 100), std::string(100, 'x'));
  }
  store.Compact();
  std::uint64_t tables = 0;
  for (const LevelStats& level : store->Stats().levels) tables += level.tables;
  // They go when the last thread that had them lets go.
  EXPECT_TRUE(testing::ComesTrue([&] {
    return store.Files(".ldb").size() == tables &&
           store.Files(".log").size() == 1;
  }));
  EXPECT_EQ(store.Files("CURRENT").size(), 1u);
}

TEST(StoreSizes, ApproximateTheBytesOfARange) {
  StoreOptions options = StillOptions();
  options.compression = Compression::kNone;
  TestStore store(options);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    store.Put(NumberKey(i), std::string(1000, 'x'));
  }
  const std::string quarter = NumberKey(250);
  const std::string half = NumberKey(500);
  const std::array<KeyRange, 6> ranges = {
      KeyRange::All(),        KeyRange::Between(quarter, half),
      KeyRange::Before(half), KeyRange::Between(half, quarter),
      KeyRange::From("zzz"),  KeyRange::From(half),
  };
  EXPECT_EQ(store->ApproximateSizes(ranges)[0], 0u);  // all in memory
  for (int round = 0; round < 2; ++round) {
    if (round == 0) store.Flush();
    if (round == 1) store.Compact();
    const auto sizes = store->ApproximateSizes(ranges);
    ASSERT_EQ(sizes.size(), 6u);
    EXPECT_NEAR(static_cast<double>(sizes[0]), 1.02e6, 4e4);
    EXPECT_NEAR(static_cast<double>(sizes[1]), 252e3, 10e3);
    EXPECT_NEAR(static_cast<double>(sizes[2]), 505e3, 10e3);
    EXPECT_EQ(sizes[3], 0u);
    EXPECT_EQ(sizes[4], 0u);
    EXPECT_NEAR(static_cast<double>(sizes[5]), 515e3, 30e3);
  }
}

TEST(StoreProperty, AnswersToBothNames) {
  TestStore store(StillOptions());
  store.Put("a", "1");
  store.Flush();
  store.Put("b", "1");
  store.Flush();
  const auto property = [&](const char* name) {
    const Result<std::string> got = store->Property(name);
    return got.ok() ? *got : got.status().ToString();
  };
  for (const std::string prefix : {"tamis.", "leveldb."}) {
    EXPECT_EQ(property((prefix + "num-files-at-level0").c_str()), "2");
    EXPECT_EQ(property((prefix + "num-files-at-level6").c_str()), "0");
    EXPECT_NE(property((prefix + "stats").c_str()), "");
    EXPECT_NE(property((prefix + "sstables").c_str()).find("level 0"),
              std::string::npos);
    EXPECT_GT(
        std::stoull(property((prefix + "approximate-memory-usage").c_str())),
        0u);
    for (const std::string wrong :
         {"num-files-at-level7", "num-files-at-level", "num-files-at-level-1",
          "num-files-at-level0x", "nothing", ""}) {
      EXPECT_EQ(store->Property(prefix + wrong).status().code(),
                StatusCode::kNotFound)
          << wrong;
    }
  }
  EXPECT_TRUE(store->Property("tamis.json").ok());
  EXPECT_TRUE(store->Property("tamis.prometheus").ok());
  EXPECT_EQ(store->Property("leveldb.json").status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(store->Property("").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace tamis
