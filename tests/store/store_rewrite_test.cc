// SPDX-License-Identifier: Apache-2.0
// Compaction that rewrites tables for the sake of their filters and their
// compression, wherever they are, and only where something differs.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"
#include "tests/store/table_parts.h"

namespace tamis {
namespace {

using testing::MemoryEnv;
using testing::NumberKey;
using testing::PartPlaces;
using testing::PartsOf;
using testing::StillOptions;
using testing::TestStore;

constexpr std::uint64_t kRewriteKeys = 3000;

// Several tables, all on one level, nothing to merge.
void FillOneLevel(TestStore* store) {
  for (std::uint64_t i = 0; i < kRewriteKeys; ++i) {
    store->Put(NumberKey(i), "value of " + NumberKey(i) + std::string(40, 'v'));
  }
  store->Compact();
  ASSERT_GT(store->TablesAt(1), 3u);
}

StoreOptions SomeTables() {
  StoreOptions options = StillOptions();
  options.table_bytes = std::uint64_t{4} << 10;
  return options;
}

CompactReport Rewrite(TestStore* store) {
  const auto report = (*store)->CompactWith({.rewrite_what_differs = true});
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return report.ok() ? *report : CompactReport();
}

void ExpectNothingToDo(TestStore* store) {
  const CompactReport report = Rewrite(store);
  EXPECT_EQ(report.merged, 0u);
  EXPECT_EQ(report.moved, 0u);
  EXPECT_EQ(report.rewritten, 0u);
}

struct Change {
  const char* what;
  std::function<void(StoreOptions*)> make;
};

const std::vector<Change>& Changes() {
  static const std::vector<Change> changes = {
      {"more bits", [](StoreOptions* o) { o->filter = "bloom:14"; }},
      {"another kind", [](StoreOptions* o) { o->filter = "ribbon:8"; }},
      {"no filter", [](StoreOptions* o) { o->filter = ""; }},
      {"the fixed seed",
       [](StoreOptions* o) { o->filter_seed = FilterSeed::kFixed; }},
      {"a seed of its own", [](StoreOptions* o) { o->filter += ",seed=3"; }},
      {"not LevelDB's", [](StoreOptions* o) { o->leveldb_filter_bits = 0; }},
      {"more of LevelDB's",
       [](StoreOptions* o) { o->leveldb_filter_bits = 14; }},
      {"no compression",
       [](StoreOptions* o) { o->compression = Compression::kNone; }},
      {"zstd", [](StoreOptions* o) { o->compression = Compression::kZstd; }},
  };
  return changes;
}

TEST(StoreRewrite, TakesEveryTableThatDiffersAndThenNone) {
  for (const Change& change : Changes()) {
    SCOPED_TRACE(change.what);
    TestStore store(SomeTables());
    FillOneLevel(&store);
    ExpectNothingToDo(&store);
    store.Reopen();
    ExpectNothingToDo(&store);
    const std::uint64_t tables = store.TablesAt(1);
    change.make(&store.options());
    store.Reopen();
    EXPECT_EQ(Rewrite(&store).rewritten, tables);
    ExpectNothingToDo(&store);
    store.Reopen();
    ExpectNothingToDo(&store);
    for (std::uint64_t i = 0; i < kRewriteKeys; i += 7) {
      ASSERT_NE(store.Get(NumberKey(i)), "(none)");
    }
  }
}

TEST(StoreRewrite, LeavesTablesWhoseFilterIsTheSameInOtherWords) {
  TestStore store(SomeTables());
  store.options().filter = "bloom";
  store.Reopen();
  FillOneLevel(&store);
  for (const char* same :
       {"bloom:10", "bloom:10.0", "tamis:bits=10", "bloom"}) {
    store.options().filter = same;
    store.Reopen();
    ExpectNothingToDo(&store);
  }
}

TEST(StoreRewrite, WritesWhatIsAskedFor) {
  TestStore store(SomeTables());
  FillOneLevel(&store);
  store.options().filter = "";
  store.options().leveldb_filter_bits = 0;
  store.options().compression = Compression::kNone;
  store.Reopen();
  Rewrite(&store);
  store.Close();
  for (const std::string& path : store.Files(".ldb")) {
    const PartPlaces parts = PartsOf(&store.env(), path);
    EXPECT_EQ(parts.own_filter.size, 0u);
    EXPECT_EQ(parts.leveldb_filter.size, 0u);
    EXPECT_NE(store.env().Contents(path).find(std::string(40, 'v')),
              std::string::npos);
  }
}

TEST(StoreRewrite, KeepsToTheRange) {
  TestStore store(SomeTables());
  FillOneLevel(&store);
  store.options().compression = Compression::kNone;
  store.Reopen();
  const std::string last = NumberKey(1);
  CompactOptions options;
  options.range = KeyRange::Before(last);
  options.rewrite_what_differs = true;
  EXPECT_EQ(store->CompactWith(options).value().rewritten, 1u);
}

// As it was before there was anything to ask for.
TEST(StoreRewrite, IsNotWhatCompactDoesUnasked) {
  TestStore store(SomeTables());
  FillOneLevel(&store);
  const std::vector<std::string> before = store.Files(".ldb");
  store.options().compression = Compression::kNone;
  store.options().filter = "bloom:14";
  store.Reopen();
  store.Compact();
  EXPECT_EQ(store.Files(".ldb"), before);
}

// Their properties are there; what they speak of is not.
TEST(StoreRewrite, MendsAFilterThatWasDamaged) {
  for (const auto which :
       {&PartPlaces::own_filter, &PartPlaces::leveldb_filter}) {
    TestStore store(SomeTables());
    FillOneLevel(&store);
    store.Close();
    const std::string path = store.Files(".ldb").front();
    const BlockHandle filter = PartsOf(&store.env(), path).*which;
    store.env().FlipBit(path, filter.offset + filter.size / 2, 3);
    store.Open();
    EXPECT_EQ(Rewrite(&store).rewritten, 1u);
    ExpectNothingToDo(&store);
    const auto checked = CheckStore(TestStore::dir(), store.options());
    ASSERT_TRUE(checked.ok());
    EXPECT_TRUE(checked->problems.empty());
  }
}

// Its checksum is right, and its array of offsets lies behind its end.
TEST(StoreRewrite, MendsALevelDbFilterThatMakesNoSense) {
  TestStore store(SomeTables());
  FillOneLevel(&store);
  store.Close();
  const std::string path = store.Files(".ldb").front();
  const BlockHandle filter = PartsOf(&store.env(), path).leveldb_filter;
  std::string table = store.env().Contents(path);
  table[filter.offset + filter.size - 2] = '\x7f';
  testing::Reseal(&table, filter);
  store.env().SetContents(path, table);
  store.Open();
  EXPECT_EQ(Rewrite(&store).rewritten, 1u);
  ExpectNothingToDo(&store);
}

// Nobody asked for it, and a check complains of it all the same.
TEST(StoreRewrite, DropsADamagedFilterThatIsNotWanted) {
  StoreOptions options = StillOptions();
  options.filter_seed = FilterSeed::kFixed;
  TestStore store(options);
  for (std::uint64_t i = 0; i < 300; ++i) store.Put(NumberKey(i), "value");
  store.Close();
  // Without properties, as repair writes it, and uncompressed.
  ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
  ASSERT_TRUE(store.env().Remove(store.Manifest()).ok());
  StoreOptions repair = store.options();
  repair.compression = Compression::kNone;
  ASSERT_TRUE(RepairStore("/db", repair).ok());
  const std::string path = store.Files(".ldb").front();
  const PartPlaces parts = PartsOf(&store.env(), path);
  store.env().FlipBit(path, parts.own_filter.offset + 100, 3);
  store.env().FlipBit(path, parts.leveldb_filter.offset + 100, 3);
  store.options().filter = "";
  store.options().leveldb_filter_bits = 0;
  store.options().compression = Compression::kNone;
  store.Open();
  EXPECT_EQ(Rewrite(&store).rewritten, 1u);
  ExpectNothingToDo(&store);
}

struct Break {
  const char* what;
  std::function<void(MemoryEnv*, const std::string& path)> make;
};

const std::vector<Break>& Breaks() {
  static const std::vector<Break> breaks = {
      {"footer",
       [](MemoryEnv* env, const std::string& path) {
         env->FlipBit(path, env->Contents(path).size() - 1, 3);
       }},
      {"index",
       [](MemoryEnv* env, const std::string& path) {
         env->FlipBit(path, PartsOf(env, path).footer.index.offset, 3);
       }},
      {"cut",
       [](MemoryEnv* env, const std::string& path) {
         std::string table = env->Contents(path);
         table.pop_back();
         env->SetContents(path, table);
       }},
  };
  return breaks;
}

TEST(StoreRewrite, FailsByNameWhereATableIsBroken) {
  for (const bool rewrite : {true, false}) {
    for (const Break& broken : Breaks()) {
      SCOPED_TRACE(broken.what);
      TestStore store(SomeTables());
      FillOneLevel(&store);
      store.Close();
      const std::string path = store.Files(".ldb")[2];
      broken.make(&store.env(), path);
      store.Open();
      const auto report = store->CompactWith({.rewrite_what_differs = rewrite});
      EXPECT_EQ(report.status().code(), StatusCode::kCorruption);
      EXPECT_NE(report.status().message().find(path), std::string::npos)
          << report.status().ToString();
    }
  }
}

// What holds the entries is whole, and all else is written anew.
TEST(StoreRewrite, MendsATableOfWhichNothingButTheEntriesIsWhole) {
  TestStore store(SomeTables());
  FillOneLevel(&store);
  store.Close();
  const std::string path = store.Files(".ldb").front();
  store.env().FlipBit(path, PartsOf(&store.env(), path).footer.metaindex.offset,
                      3);
  store.Open();
  EXPECT_EQ(Rewrite(&store).rewritten, 1u);
  ExpectNothingToDo(&store);
}

// Repair writes tables that say nothing of themselves.
TEST(StoreRewrite, JudgesTablesWithoutPropertiesByWhatCanBeSeen) {
  for (const bool fits : {true, false}) {
    StoreOptions options = StillOptions();
    options.filter_seed = FilterSeed::kFixed;
    TestStore store(options);
    for (std::uint64_t i = 0; i < 300; ++i) {
      store.Put(NumberKey(i), std::string(100, 'v'));
    }
    store.Close();
    ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
    ASSERT_TRUE(store.env().Remove(store.Manifest()).ok());
    ASSERT_TRUE(RepairStore("/db", store.options()).ok());
    if (!fits) store.options().filter = "bloom:11";
    store.Open();
    ASSERT_EQ(store.TablesAt(0), 0u);
    EXPECT_EQ(Rewrite(&store).rewritten, fits ? 0u : 1u);
    ExpectNothingToDo(&store);
  }
}

}  // namespace
}  // namespace tamis
