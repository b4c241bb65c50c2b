// SPDX-License-Identifier: Apache-2.0
// Filters in files beside their tables: made without a byte of the tables being
// written, used, ignored where they do not fit, and gone with their tables.

#include "tamis/filter_files.h"

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tamis/store_tables.h"
#include "tests/store/filter_file_store.h"
#include "tests/store/stores.h"

namespace tamis::testing {
namespace {

TEST(FilterFiles, GiveTablesGoodFiltersAndWriteNothingElse) {
  TestStore store(PoorOptions());
  FillWithEven(&store);
  store.Close();
  const Files before = FilesOf(&store.env());
  const FilterFilesReport report = MakeAll(&store);
  EXPECT_EQ(report.failed, 0u);
  EXPECT_EQ(report.made, store.Files(".ldb").size());
  EXPECT_EQ(store.Files(".filter").size(), report.made);
  for (const auto& [path, bytes] : before) {
    EXPECT_EQ(store.env().Contents(path), bytes) << path;
  }
  for (const FilterFileOfTable& table : report.tables) {
    EXPECT_EQ(table.before.kind, "leveldb");
    EXPECT_EQ(table.after.kind, "bloom");
    EXPECT_LT(table.after.rate, 0.02);
  }
  store.Open();
  ExpectEven(&store);
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.damaged_filters, 0u);
  EXPECT_EQ(Sum(stats, &LevelStats::unfiltered), 0u);
  EXPECT_LT(stats.filters().observed_rate(), 0.03);
  ExpectNoProblem(&store, 2 * report.made);
}

TEST(FilterFiles, NoAnswerDependsOnThem) {
  TestStore store(PoorOptions());
  FillWithEven(&store);
  store.Close();
  MakeAll(&store);
  for (const FilterUse use :
       {FilterUse::kOn, FilterUse::kOff, FilterUse::kAlwaysMaybe}) {
    for (const FilterLoading loading :
         {FilterLoading::kWhenFirstAsked, FilterLoading::kAtOpening,
          FilterLoading::kInBackground}) {
      store.options().filter_use = use;
      store.options().filter_loading = loading;
      store.Reopen();
      ExpectEven(&store);
      EXPECT_EQ(store->Stats().damaged_filters, 0u);
    }
  }
  store.options().filter_use = FilterUse::kOn;
  for (const std::uint64_t limit : {0u, 1000u, 3000u}) {
    store.options().filter_memory_bytes = limit;
    store.Reopen();
    ExpectEven(&store);
    EXPECT_LE(store->Stats().filter_memory_held, limit);
  }
}

TEST(FilterFiles, ThatAreDamagedAnywhereAreIgnoredCountedAndRemoved) {
  TestStore store(PoorOptions());
  FillOneTable(&store);
  store.Close();
  MakeAll(&store);
  const std::string path = store.Files(".filter").at(0);
  const std::string whole = store.env().Contents(path);
  const auto expect = [&](const std::string& bytes, std::size_t at) {
    store.env().SetContents(path, bytes);
    store.Open();
    ExpectOneTable(&store);
    const bool is_ours = bytes.substr(0, 8) == whole.substr(0, 8);
    EXPECT_EQ(store->Stats().damaged_filters, is_ours ? 1u : 0u) << at;
    EXPECT_EQ(store.env().Exists(path), !is_ours) << at;
    if (is_ours) {
      EXPECT_NE(store->Stats().last_filter_damage.find(path),
                std::string::npos);
    }
    store.Close();
  };
  for (std::size_t at = 0; at < whole.size(); at += at < 90 ? 1 : 37) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    expect(bytes, at);
    expect(whole.substr(0, at), at);
  }
  expect(whole + "x", whole.size());
}

TEST(FilterFiles, OfAnotherTableAreIgnoredAndRemoved) {
  TestStore store(PoorOptions());
  FillWithEven(&store);
  store.Close();
  MakeAll(&store);
  const std::vector<std::string> paths = store.Files(".filter");
  ASSERT_GE(paths.size(), 2u);
  const std::string first = store.env().Contents(paths[0]);
  store.env().SetContents(paths[0], store.env().Contents(paths[1]));
  store.env().SetContents(paths[1], first);
  store.options().filter_loading = FilterLoading::kAtOpening;
  store.Open();
  ExpectEven(&store);
  EXPECT_EQ(store->Stats().damaged_filters, 2u);
  EXPECT_EQ(store.Files(".filter").size(), paths.size() - 2);
}

// The same number, length, index and metaindex, the same first and last entry:
// the checksum of a data block alone differs.
TEST(FilterFiles, KnowTheirTableByItsData) {
  std::vector<Files> stores;
  std::string path;
  for (const char* key : {"key1", "key2"}) {
    StoreOptions options = PoorOptions();
    options.leveldb_filter_bits = 0;
    TestStore store(options);
    store.Put("a", "1");
    store.Put(key, "2");
    store.Put("z", "3");
    store.Flush();
    store.Close();
    MakeAll(&store);
    path = store.Files(".filter").at(0);
    stores.push_back(FilesOf(&store.env()));
  }
  EXPECT_NE(stores[0].at(path), stores[1].at(path));
  Files mixed = stores[0];
  mixed[path] = stores[1].at(path);
  MemoryEnv env;
  PutFiles(mixed, &env);
  StoreOptions options = PoorOptions();
  options.env = &env;
  const auto store = Store::Open(kDir, options);
  ASSERT_TRUE(store.ok());
  EXPECT_TRUE(store->Get("key1").ok());
  EXPECT_EQ(store->Stats().damaged_filters, 1u);
  EXPECT_FALSE(env.Exists(path));
}

// A store of many blocks, in which the key of that number has another last
// letter than the others.
Files StoreWithOther(int number, std::string* filter) {
  StoreOptions options = PoorOptions();
  options.leveldb_filter_bits = 0;
  options.block_bytes = 1024;
  options.write_buffer_bytes = std::size_t{1} << 20;
  TestStore store(options);
  for (int i = 0; i < 500; ++i) {
    store.Put(FilterFileKey(i) + (i == number ? "b" : "a"),
              std::string(100, 'v'));
  }
  store.Flush();
  store.Close();
  EXPECT_EQ(MakeAll(&store).made, 1u);
  *filter = store.Files(".filter").at(0);
  return FilesOf(&store.env());
}

// All but one block is the same, and so are the index and all lengths: as where
// a copy of another day was written over the tables, and the filters stayed.
TEST(FilterFiles, OfATableWithOneOtherBlockAreIgnored) {
  std::string path;
  const Files before = StoreWithOther(-1, &path);
  for (const int number : {51, 102, 153, 204, 255, 306, 357, 408}) {
    Files mixed = StoreWithOther(number, &path);
    mixed[path] = before.at(path);
    MemoryEnv env;
    PutFiles(mixed, &env);
    StoreOptions options = PoorOptions();
    options.env = &env;
    const auto store = Store::Open(kDir, options);
    ASSERT_TRUE(store.ok());
    EXPECT_TRUE(store->Get(FilterFileKey(number) + "b").ok()) << number;
    EXPECT_EQ(store->Stats().damaged_filters, 1u) << number;
  }
}

TEST(FilterFiles, OfANewerVersionOrPolicyStay) {
  TestStore store(PoorOptions());
  FillOneTable(&store);
  store.Close();
  MakeAll(&store);
  const std::string path = store.Files(".filter").at(0);
  const std::string whole = store.env().Contents(path);
  for (const std::string& newer :
       {WithVersion(whole, 3), WithPolicy(whole, "tamis.Filter2")}) {
    store.env().SetContents(path, newer);
    store.Open();
    ExpectOneTable(&store);
    EXPECT_EQ(store->Stats().damaged_filters, 1u);
    store.Close();
    EXPECT_EQ(store.env().Contents(path), newer);
    store.Open();
    store.Close();
    const auto checked = CheckStore(kDir, store.options());
    ASSERT_TRUE(checked.ok());
    EXPECT_TRUE(checked->problems.empty());
    EXPECT_EQ(checked->notes.size(), 1u);
  }
}

TEST(FilterFiles, OfOtherProgramsAreNeverTouched) {
  TestStore store(PoorOptions());
  FillOneTable(&store);
  store.Close();
  const std::string table = store.Files(".ldb").at(0);
  const std::string path = table.substr(0, table.size() - 4) + ".filter";
  const std::string other = std::string(kDir) + "/000999.filter";
  for (const std::string& name : {path, other, std::string("/db/9.filter")}) {
    store.env().SetContents(name, "of a coffee machine");
  }
  const FilterFilesReport report = MakeAll(&store);
  EXPECT_EQ(report.failed, 1u);
  EXPECT_NE(report.tables.at(0).problem.find(path), std::string::npos);
  FilterFilesOptions remove;
  remove.remove = true;
  EXPECT_EQ(MakeAll(&store, remove).removed, 0u);
  store.Open();
  ExpectOneTable(&store);
  EXPECT_EQ(store->Stats().damaged_filters, 0u);
  store.Put("key00000001", "");
  store.Compact();  // removes the table
  store.Close();
  EXPECT_FALSE(store.env().Exists(table));
  store.Open();
  store.Close();
  const auto gone = DestroyStore(kDir, store.options(), {});
  ASSERT_TRUE(gone.ok());
  EXPECT_EQ(gone->stayed.size(), 3u);
  for (const std::string& name : {path, other, std::string("/db/9.filter")}) {
    EXPECT_EQ(store.env().Contents(name), "of a coffee machine");
  }
}

TEST(FilterFiles, ThatCannotBeReadStay) {
  TestStore store(PoorOptions());
  FillOneTable(&store);
  store.Close();
  MakeAll(&store);
  const std::string path = store.Files(".filter").at(0);
  for (const std::uint64_t offset : {0u, 70u}) {
    store.env().SetContents(path, store.env().Contents(path));
    store.env().MakeUnreadable(path, offset, 1);
    store.Open();
    ExpectOneTable(&store);
    EXPECT_EQ(store->Stats().damaged_filters, 1u);
    store.Close();
    EXPECT_TRUE(store.env().Exists(path));
  }
}

TEST(FilterFiles, StayWhereNothingMayBeWritten) {
  TestStore store(PoorOptions());
  FillOneTable(&store);
  store.Close();
  MakeAll(&store);
  const std::string path = store.Files(".filter").at(0);
  store.env().FlipBit(path, 100, 3);
  const Files before = FilesOf(&store.env());
  store.options().read_only = true;
  store.Open();
  ExpectOneTable(&store);
  EXPECT_EQ(store->Stats().damaged_filters, 1u);
  store.Close();
  EXPECT_EQ(FilesOf(&store.env()), before);
  // An opening that fails changes nothing, either.
  store.options().read_only = false;
  store.options().filter_loading = FilterLoading::kAtOpening;
  store.env().SetContents(std::string(kDir) + "/CURRENT", "nonsense\n");
  EXPECT_FALSE(store.TryOpen().ok());
  EXPECT_EQ(store.env().Contents(path), before.at(path));
}

TEST(FilterFiles, GoWithTheirTables) {
  TestStore store(PoorOptions());
  FillWithEven(&store);
  store.Close();
  MakeAll(&store);
  store.Open();
  ExpectEven(&store);
  store.Put("key00000003", "new");
  store.Compact();
  ASSERT_TRUE(store->WaitForQuiet().ok());
  store.Close();
  EXPECT_TRUE(OrphansIn(&store).empty());
  // What a crash has left goes at the next opening.
  const std::string orphan = std::string(kDir) + "/000001.filter";
  MakeAll(&store);
  store.env().SetContents(orphan,
                          store.env().Contents(store.Files(".filter").at(0)));
  store.Open();
  EXPECT_FALSE(store.env().Exists(orphan));
  EXPECT_FALSE(store.Files(".filter").empty());
  store.Close();
  ASSERT_TRUE(DestroyStore(kDir, store.options()).ok());
  EXPECT_FALSE(store.env().Exists(kDir));
}

TEST(FilterFiles, StayWithATableThatIsMoved) {
  StoreOptions options = PoorOptions();
  TestStore store(options);
  FillOneTable(&store);
  store.Close();
  MakeAll(&store);
  const Files before = FilesOf(&store.env());
  const std::string path = store.Files(".filter").at(0);
  store.options().level0_compact_at = 1;
  store.options().automatic_compaction = true;
  store.Open();
  ASSERT_TRUE(store->WaitForQuiet().ok());
  EXPECT_EQ(store.TablesAt(0), 0u);
  EXPECT_EQ(store.env().Contents(path), before.at(path));
  store.Reopen();
  ExpectOneTable(&store);
  EXPECT_EQ(store->Stats().filters().probes, kKeysOfOne);
}

TEST(FilterFiles, AreVerifiedByCheckAndPutAsideByRepair) {
  TestStore store(PoorOptions());
  FillOneTable(&store);
  store.Close();
  MakeAll(&store);
  const std::string path = store.Files(".filter").at(0);
  const std::string table = store.Files(".ldb").at(0);
  const std::string whole = store.env().Contents(path);
  for (const std::string& bad :
       {WithFilterOf(whole, {"other"}), whole.substr(0, whole.size() - 1)}) {
    store.env().SetContents(path, bad);
    const auto checked = CheckStore(kDir, store.options());
    ASSERT_TRUE(checked.ok());
    ASSERT_EQ(checked->problems.size(), 1u);
    EXPECT_TRUE(checked->problems[0].starts_with(path));
    const std::string table_bytes = store.env().Contents(table);
    const RepairReport repaired = Repair(&store);
    EXPECT_EQ(repaired.lost.size(), 1u);
    EXPECT_FALSE(store.env().Exists(path));
    EXPECT_EQ(store.env().Contents(table), table_bytes);
    ExpectNoProblem(&store, 1);
  }
  EXPECT_TRUE(store.env().Exists("/db/lost" + path.substr(3)));
  EXPECT_TRUE(store.env().Exists("/db/lost" + path.substr(3) + ".2"));
  store.Open();
  ExpectOneTable(&store);
}

TEST(FilterFiles, FollowATableThatRepairPutsAside) {
  TestStore store(PoorOptions());
  FillOneTable(&store);
  store.Close();
  MakeAll(&store);
  const std::string filter = store.Files(".filter").at(0);
  store.env().FlipBit(store.Files(".ldb").at(0), 5, 0);
  Repair(&store);
  EXPECT_FALSE(store.env().Exists(filter));
  EXPECT_TRUE(store.env().Exists("/db/lost" + filter.substr(3)));
  ExpectNoProblem(&store, 1);
}

TEST(FilterFiles, AreNotMadeOfAPartOfTheKeys) {
  TestStore store(PoorOptions());
  FillWithEven(&store);
  store.Close();
  const std::string damaged = store.Files(".ldb").at(1);
  store.env().FlipBit(damaged, 20, 4);
  const FilterFilesReport report = MakeAll(&store);
  EXPECT_EQ(report.failed, 1u);
  EXPECT_EQ(report.made, report.tables.size() - 1);
  for (const FilterFileOfTable& table : report.tables) {
    if (table.action != FilterFileAction::kFailed) continue;
    EXPECT_NE(table.problem.find(damaged), std::string::npos);
  }
  EXPECT_FALSE(
      store.env().Exists(damaged.substr(0, damaged.size() - 4) + ".filter"));
}

TEST(FilterFiles, AreOnlyMadeWhereTheyDiffer) {
  TestStore store(PoorOptions());
  FillWithEven(&store);
  store.Close();
  const Files before = FilesOf(&store.env());
  FilterFilesOptions dry;
  dry.dry_run = true;
  const FilterFilesReport promised = MakeAll(&store, dry);
  EXPECT_EQ(FilesOf(&store.env()), before);
  const FilterFilesReport made = MakeAll(&store);
  EXPECT_EQ(made.made, promised.made);
  EXPECT_EQ(MakeAll(&store).made, 0u);
  const FilterFilesReport larger = MakeAll(&store, {}, "bloom:14");
  EXPECT_EQ(larger.made, made.made);
  EXPECT_GT(larger.tables.at(0).after.bytes, made.tables.at(0).after.bytes);
  EXPECT_EQ(MakeAll(&store, {}, "ribbon:8").made, made.made);
  ExpectNoProblem(&store, 2 * made.made);
  FilterFilesOptions remove;
  remove.remove = true;
  EXPECT_EQ(MakeAll(&store, remove).removed, made.made);
  EXPECT_TRUE(store.Files(".filter").empty());
}

TEST(FilterFiles, AreOfTheSizesThatMemoryIsDividedInto) {
  TestStore store(PoorOptions());
  FillWithEven(&store);
  store.Close();
  constexpr std::uint64_t kMemory = 4000;
  StoreOptions options = store.options();
  options.filter = "bloom:10";
  options.filter_memory_bytes = kMemory;
  const auto report = MakeFilterFiles(kDir, options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_GT(report->made, 0u);
  std::uint64_t bytes = 0;
  for (const FilterFileOfTable& table : report->tables) {
    if (table.action == FilterFileAction::kMade) bytes += table.after.bytes;
  }
  // Each has a header, beside what is divided.
  EXPECT_LE(bytes, kMemory + 128 * report->made);
}

TEST(FilterFiles, AreNotMadeInAStoreThatIsOpen) {
  TestStore store(PoorOptions());
  FillOneTable(&store);
  const Result<FilterFilesReport> refused =
      MakeFilterFiles(kDir, GoodOptions(store.options()));
  EXPECT_EQ(refused.status().code(), StatusCode::kIoError);
  store.Close();
  EXPECT_EQ(
      MakeFilterFiles("/none", GoodOptions(store.options())).status().code(),
      StatusCode::kNotFound);
  StoreOptions other = GoodOptions(store.options());
  const Backwards backwards;
  other.comparator = &backwards;
  EXPECT_EQ(MakeFilterFiles(kDir, other).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tamis::testing
