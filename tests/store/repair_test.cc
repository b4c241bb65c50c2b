// SPDX-License-Identifier: Apache-2.0
// RepairStore(): what can be read is saved, and what is newest stays newest.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"
#include "tests/store/table_parts.h"

namespace tamis {
namespace {

using testing::NumberKey;
using testing::Repair;
using testing::SmallOptions;
using testing::StillOptions;
using testing::TestStore;

void ExpectSound(TestStore* store) {
  const auto checked = CheckStore(TestStore::dir(), store->options());
  ASSERT_TRUE(checked.ok()) << checked.status().ToString();
  for (const std::string& problem : checked->problems) ADD_FAILURE() << problem;
}

// Tables in two levels and a log, all keys with a newest value each.
void FillTwoLevels(TestStore* store) {
  for (std::uint64_t i = 0; i < 300; ++i) store->Put(NumberKey(i), "first");
  store->Compact();
  for (std::uint64_t i = 0; i < 200; ++i) store->Put(NumberKey(i), "second");
  for (std::uint64_t i = 0; i < 20; ++i) store->Delete(NumberKey(i));
  store->Flush();
  for (std::uint64_t i = 0; i < 100; i += 2) {
    store->Put(NumberKey(i), "third");
  }
}
std::string FilledValue(std::uint64_t i) {
  if (i < 100 && i % 2 == 0) return "third";
  if (i < 20) return "(none)";
  return i < 200 ? "second" : "first";
}
void ExpectFilled(TestStore* store) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    ASSERT_EQ(store->Get(NumberKey(i)), FilledValue(i)) << i;
  }
  EXPECT_EQ(store->Get(NumberKey(300)), "(none)");
}

TEST(StoreRepair, SaysWhereThereIsNothing) {
  testing::MemoryEnv env;
  StoreOptions options;
  options.env = &env;
  EXPECT_FALSE(RepairStore("/db", options).ok());
  ASSERT_TRUE(env.CreateDirectory("/db").ok());
  EXPECT_EQ(RepairStore("/db", options).status().code(), StatusCode::kNotFound);
}

TEST(StoreRepair, LosesNothingOfAWholeStore) {
  TestStore store(StillOptions());
  FillTwoLevels(&store);
  store.Close();
  const RepairReport report = Repair(&store);
  EXPECT_TRUE(report.lost.empty());
  EXPECT_TRUE(report.was_clean);
  store.Open();
  ExpectFilled(&store);
  store.Put("more", "works");
  store.Compact();
  ExpectFilled(&store);
  store.Close();
  ExpectSound(&store);
}

TEST(StoreRepair, NeedsNeitherCurrentNorManifest) {
  for (const bool both : {false, true}) {
    TestStore store(StillOptions());
    FillTwoLevels(&store);
    store.Close();
    ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
    if (both) {
      for (const std::string& path : store.Files("")) {
        if (path.find("MANIFEST") != std::string::npos) {
          ASSERT_TRUE(store.env().Remove(path).ok());
        }
      }
    }
    const RepairReport report = Repair(&store);
    EXPECT_TRUE(report.lost.empty());
    EXPECT_EQ(report.logs, 1u);
    // Without a manifest nobody knows what was live.
    EXPECT_EQ(report.may_come_back.size(), both ? 1u : 0u);
    store.options().create_if_missing = false;
    store.Open();
    ExpectFilled(&store);
    store.Close();
    ExpectSound(&store);
  }
}

// A table that was made later may hold older values: it was compacted.
TEST(StoreRepair, KeepsTheNewestValueThoughAnOlderOneIsInALaterTable) {
  StoreOptions options = StillOptions();
  TestStore store(options);
  // Level 2, by a level 1 that is too large.
  for (std::uint64_t i = 0; i < 100; ++i) store.Put(NumberKey(i), "oldest");
  store.Compact();
  store.options().automatic_compaction = true;
  store.options().level1_bytes = 100;
  store.Reopen();
  ASSERT_TRUE(store->WaitForQuiet().ok());
  ASSERT_EQ(store.TablesAt(1), 0u);
  // Level 1 over it, and level 0 over that.
  store.options().automatic_compaction = false;
  store.Reopen();
  for (std::uint64_t i = 0; i < 100; ++i) store.Put(NumberKey(i), "older");
  store.Flush();
  const std::string first = store.Files(".ldb").back();
  store.options().automatic_compaction = true;
  store.options().level0_compact_at = 1;
  store.options().level1_bytes = 1 << 20;
  store.Reopen();
  ASSERT_TRUE(store->WaitForQuiet().ok());
  ASSERT_EQ(store.TablesAt(1), 1u);
  store.options().automatic_compaction = false;
  store.Reopen();
  store.Put(NumberKey(7), "newest");
  store.Flush();
  // Level 1 is merged down, past the table of level 0.
  store.options().automatic_compaction = true;
  store.options().level0_compact_at = 4;
  store.options().level1_bytes = 100;
  store.Reopen();
  ASSERT_TRUE(store->WaitForQuiet().ok());
  ASSERT_EQ(store.TablesAt(0), 1u);
  ASSERT_EQ(store.Get(NumberKey(7)), "newest");
  store.Close();
  ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
  EXPECT_TRUE(Repair(&store).lost.empty());
  store.options().automatic_compaction = false;
  store.Open();
  EXPECT_EQ(store.Get(NumberKey(7)), "newest");
  EXPECT_EQ(store.Get(NumberKey(8)), "older");
}

TEST(StoreRepair, SavesWhatIsOutsideADamagedBlock) {
  StoreOptions options = StillOptions();
  options.block_bytes = 512;
  TestStore store(options);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    store.Put(NumberKey(i), "value of " + NumberKey(i * i));
  }
  store.Flush();
  store.Close();
  const std::string table = store.Files(".ldb").front();
  const std::uint64_t filters =
      testing::PartsOf(&store.env(), table).own_filter.offset;
  store.env().FlipBit(table, filters / 2, 5);
  const RepairReport report = Repair(&store);
  ASSERT_FALSE(report.lost.empty());
  EXPECT_NE(report.lost.front().find(table), std::string::npos);
  EXPECT_GT(report.entries, 940u);
  store.Open();
  std::uint64_t saved = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::string got = store.Get(NumberKey(i));
    if (got == "(none)") continue;
    ++saved;
    ASSERT_EQ(got, "value of " + NumberKey(i * i));
  }
  EXPECT_EQ(saved, report.entries);
  EXPECT_NE(store.Get(NumberKey(0)), "(none)");
  EXPECT_NE(store.Get(NumberKey(999)), "(none)");
  store.Close();
  ExpectSound(&store);
  // The damaged one is put aside, not thrown away.
  EXPECT_TRUE(store.env().Exists("/db/lost" + table.substr(3)));
}

// Wherever a bit is flipped: the repaired store opens, says nothing wrong, and
// has lost at most a part.
TEST(StoreRepair, MakesASoundStoreFromATableDamagedAnywhere) {
  StoreOptions options = StillOptions();
  options.block_bytes = 512;
  TestStore store(options);
  for (std::uint64_t i = 0; i < 100; ++i) store.Put(NumberKey(i), "value");
  store.Flush();
  store.Close();
  const std::string table = store.Files(".ldb").front();
  const std::string whole = store.env().Contents(table);
  for (std::uint64_t at = 0; at < whole.size(); at += 29) {
    TestStore copy(options);
    copy.Close();
    copy.env().SetContents(table, whole);
    copy.env().FlipBit(table, at, at % 8);
    (void)Repair(&copy);
    copy.Open();
    for (std::uint64_t i = 0; i < 100; ++i) {
      const std::string got = copy.Get(NumberKey(i));
      ASSERT_TRUE(got == "value" || got == "(none)") << at << ": " << got;
    }
    copy.Close();
    ExpectSound(&copy);
    if (HasFailure()) break;
  }
}

// Values may be tables, with keys that would fit.
TEST(StoreRepair, InventsNoKeysOutOfValues) {
  StoreOptions options = StillOptions();
  options.compression = Compression::kNone;
  TestStore inner(options);
  for (std::uint64_t i = 0; i < 1000; ++i) inner.Put(NumberKey(i), "inner");
  inner.Flush();
  const std::string value = inner.env().Contents(inner.Files(".ldb").front());
  TestStore store(options);
  for (std::uint64_t i = 0; i < 20; ++i) {
    store.Put(NumberKey(i * 50) + "+", i == 4 ? value : std::string(5000, 'o'));
  }
  store.Flush();
  store.Close();
  const std::string table = store.Files(".ldb").front();
  const std::string whole = store.env().Contents(table);
  const std::size_t begin = whole.find(value);
  ASSERT_NE(begin, std::string::npos);
  // Cut off within that value; and the index and the value's length lost.
  for (const bool is_cut : {true, false}) {
    std::string damaged = whole.substr(0, begin + value.size() * 2 / 3);
    if (!is_cut) {
      damaged = whole;
      damaged.back() ^= 1;
      std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(begin - 20), 16,
                  '\xff');
    }
    TestStore copy(options);
    copy.Close();
    for (const std::string& path : store.Files("")) {
      copy.env().SetContents(path, store.env().Contents(path));
    }
    copy.env().SetContents(table, damaged);
    for (const std::string& lost : Repair(&copy).lost) {
      EXPECT_EQ(lost.find("hidden"), std::string::npos) << lost;
    }
    copy.Open();
    const auto it = copy->NewIterator();
    std::uint64_t found = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++found) {
      EXPECT_TRUE(it->key().ends_with("+")) << it->key();
    }
    EXPECT_EQ(found, is_cut ? 4u : 19u);
  }
}

TEST(StoreRepair, SavesTheRestOfADamagedLog) {
  TestStore store(StillOptions());
  for (std::uint64_t i = 0; i < 100; ++i) store.Put(NumberKey(i), "value");
  store.Close();
  const std::string log = store.Files(".log").front();
  store.env().FlipBit(log, 1020, 2);
  EXPECT_EQ(store.TryOpen().code(), StatusCode::kCorruption);
  const RepairReport report = Repair(&store);
  ASSERT_FALSE(report.lost.empty());
  EXPECT_NE(report.lost.front().find(log), std::string::npos);
  store.Open();
  EXPECT_EQ(store.Get(NumberKey(0)), "value");
  EXPECT_EQ(store.Get(NumberKey(20)), "value");
}

TEST(StoreRepair, MayBeDoneAgain) {
  TestStore store(StillOptions());
  FillTwoLevels(&store);
  store.Close();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
    EXPECT_TRUE(Repair(&store).lost.empty());

    store.Open();
    ExpectFilled(&store);
    store.Close();
    ExpectSound(&store);
  }
}

}  // namespace
}  // namespace tamis
