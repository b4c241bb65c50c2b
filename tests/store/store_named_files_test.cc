// SPDX-License-Identifier: Apache-2.0
// A manifest and the files beside it: what it names must be there, what it does
// not name is removed only where nothing can be lost by it.

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/manifest.h"
#include "store/named_files.h"
#include "tamis/store.h"
#include "tests/store/stores.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {
namespace {

std::vector<std::string> SortedNames(MemoryEnv* env) {
  std::vector<std::string> names = *env->List(kDir);
  std::sort(names.begin(), names.end());
  return names;
}

// Three rounds of flushes and compactions, and something in the log.
void WriteRounds(TestStore* store) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) {
      store->Put("key" + std::to_string(round) + std::to_string(i), "v");
    }
    store->Flush();
    store->Compact();
  }
  store->Put("last", "v");
}

TEST(StoreNamedFiles, AManifestThatHasLostItsEndCostsNoTable) {
  TestStore whole(StillOptions());
  WriteRounds(&whole);
  const std::string all = whole.All();
  whole.Close();
  const std::string manifest = whole.Manifest();
  const std::string bytes = whole.env().Contents(manifest);
  const std::vector<std::string> names = SortedNames(&whole.env());
  int refused = 0;
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    SCOPED_TRACE("cut to " + std::to_string(cut));
    TestStore store(StillOptions());
    store.Close();
    for (const std::string& name : SortedNames(&store.env())) {
      ASSERT_TRUE(store.env().Remove(kDir + ("/" + name)).ok());
    }
    for (const std::string& name : names) {
      const std::string path = kDir + ("/" + name);
      store.env().SetContents(path, whole.env().Contents(path));
    }
    store.env().SetContents(manifest, bytes.substr(0, cut));
    StoreOptions to_read = store.options();
    to_read.read_only = true;
    const bool can_be_read = Store::Open(kDir, to_read).ok();
    const Status opened = store.TryOpen();
    EXPECT_EQ(opened.ok(), can_be_read);
    if (opened.ok()) {
      EXPECT_EQ(store.All(), all);
      continue;
    }
    ++refused;
    EXPECT_EQ(opened.code(), StatusCode::kCorruption) << opened.ToString();
    EXPECT_EQ(SortedNames(&store.env()), names);
    const auto repaired = RepairStore(kDir, store.options());
    ASSERT_TRUE(repaired.ok()) << repaired.status().ToString();
    store.Open();
    EXPECT_EQ(store.All(), all);
  }
  EXPECT_GT(refused, 100);
}

TEST(StoreNamedFiles, ATableThatIsMissingIsNamed) {
  TestStore store(StillOptions());
  store.Put("key", "value");
  store.Flush();
  store.Close();
  const std::string table = store.Files(".ldb").front();
  ASSERT_TRUE(store.env().Remove(table).ok());
  const Status opened = store.TryOpen();
  EXPECT_EQ(opened.code(), StatusCode::kCorruption);
  EXPECT_TRUE(opened.message().starts_with(table)) << opened.message();
}

// As a flush leaves one that was killed before its edit: all of it is in the
// log as well.
TEST(StoreNamedFiles, ATableThatNobodyNamedIsRemovedWhereTheRestIsThere) {
  TestStore store(StillOptions());
  store.Put("key", "value");
  store.Close();
  store.env().SetContents("/db/000042.ldb", "half a table");
  store.Open();
  EXPECT_FALSE(store.env().Exists("/db/000042.ldb"));
  EXPECT_EQ(store.Get("key"), "value");
}

TEST(StoreNamedFiles, WhatIsMissingAndWhatIsUnnamedIsFound) {
  ManifestState state;
  state.log_number = 7;
  FileMetadata metadata;
  metadata.number = 3;
  state.files[1] = {metadata};
  state.named = {2, 3};
  MissingFiles missing = FindMissingFiles(
      state, "/db", {"000007.log", "000003.sst", "000002.ldb"});
  EXPECT_TRUE(missing.tables.empty());
  EXPECT_EQ(missing.log, "");
  EXPECT_FALSE(missing.has_unnamed_tables);
  missing = FindMissingFiles(state, "/db", {"000008.log", "000004.ldb"});
  EXPECT_EQ(missing.tables, std::vector<std::string>{"/db/000003.ldb"});
  EXPECT_EQ(missing.log, "/db/000007.log");
  EXPECT_TRUE(missing.has_unnamed_tables);
  state.log_number = 0;  // as LevelDB's repair leaves it
  EXPECT_EQ(FindMissingFiles(state, "/db", {}).log, "");
}

// ---- A manifest that is begun anew ----

// The store goes on with a new manifest, for writing to the old one has failed.
void BeginManifestAnew(TestStore* store) {
  const std::string before = store->Manifest();
  for (std::uint64_t n = 1; store->Manifest() == before; ++n) {
    ASSERT_LT(n, 20u);
    store->Put("filler", std::to_string(n));
    store->env().FailCall(n, EIO, false, kSyncCalls);
    (void)(*store)->Flush();
    store->env().Heal();
    // It is tried again in the background.
    ASSERT_TRUE(ComesTrue([&] { return (*store)->Flush().ok(); }));
  }
}

// A table that is no longer live, but is still read, lies there unnamed: where
// the manifest is damaged later it must not be taken for a new one.
TEST(StoreNamedFiles, ANewManifestSaysWhichTablesAreLiveNoMore) {
  TestStore store(StillOptions());
  store.Put("deleted", "value");
  store.Flush();
  const std::string old_table = store.Files(".ldb").front();
  auto reader = store->NewIterator({});
  reader->SeekToFirst();
  store.Delete("deleted");
  store.Put("other", "value");
  store.Compact();
  BeginManifestAnew(&store);
  store.Put("late", "value");
  store.Flush();
  ASSERT_TRUE(store.env().Exists(old_table));
  const Result<ManifestState> state = ReadManifest(store.env(), kDir);
  ASSERT_TRUE(state.ok());
  store.env().Crash(CrashMode::kKillProcess);
  reader.reset();
  store.Close();
  store.env().Restart();
  store.env().FlipBit(store.Manifest(), state->end - 1, 3);
  const auto report = RepairStore(kDir, store.options());
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  store.Open();
  EXPECT_EQ(store.Get("deleted"), "(none)");
  EXPECT_EQ(store.Get("other"), "value");
  EXPECT_EQ(store.Get("late"), "value");
}

// A compaction has taken the number of its table before the manifest was begun
// anew, and names it afterwards.
TEST(StoreNamedFiles, ATableThatIsNamedLaterThanItsNumberIsKnownToBeNew) {
  TestStore store(StillOptions());
  store.Put("early", "value");
  store.Flush();
  store.Put("late", "value");
  store.Flush();
  store.Close();
  // All in one edit, but for the second table.
  Result<ManifestState> state = ReadManifest(store.env(), kDir);
  ASSERT_TRUE(state.ok() && state->files[0].size() == 2);
  const FileMetadata late = state->files[0].back();
  state->files[0].pop_back();
  const std::string before = store.Manifest();
  {
    Manifest manifest(store.env(), kDir);
    ASSERT_TRUE(manifest.Start(state->next_file_number, FullEdit(*state)).ok());
    VersionEdit edit;
    edit.added.emplace_back(0, late);
    ASSERT_TRUE(manifest.Append(edit).ok());
  }
  ASSERT_TRUE(store.env().Remove(before).ok());
  const std::string manifest = store.Manifest();
  store.env().FlipBit(manifest, store.env().Contents(manifest).size() - 1, 3);
  const auto report = RepairStore(kDir, store.options());
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  store.Open();
  EXPECT_EQ(store.All(), "early=value late=value");
}

// ---- Another engine's, whose manifest has lost its end ----

std::string RocksDbTable() {
  std::string table(100, 'x');
  // The magic number of block-based tables, little-endian.
  table += "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88";
  return table;
}

void ExpectRefusedAndUntouched(TestStore* store) {
  const std::vector<std::string> before = SortedNames(&store->env());
  StoreOptions to_read = store->options();
  to_read.read_only = true;
  const Status all[] = {store->TryOpen(), Store::Open(kDir, to_read).status(),
                        CheckStore(kDir, store->options()).status(),
                        RepairStore(kDir, store->options()).status(),
                        DestroyStore(kDir, store->options())};
  for (const Status& refused : all) {
    EXPECT_EQ(refused.code(), StatusCode::kNotSupported) << refused.ToString();
    EXPECT_NE(refused.message().find("RocksDB"), std::string::npos);
  }
  EXPECT_EQ(SortedNames(&store->env()), before);
}

TEST(StoreNamedFiles, TablesOfRocksDbThatTheManifestDoesNotNameAreRecognised) {
  TestStore store(StillOptions());
  store.Close();
  store.env().SetContents("/db/000042.sst", RocksDbTable());
  ExpectRefusedAndUntouched(&store);
}

TEST(StoreNamedFiles, ALogThatRocksDbKeepsIsRecognised) {
  TestStore store(StillOptions());
  store.Close();
  store.env().SetContents(
      "/db/LOG", "2026/11/17-20:00:00.000000 1 RocksDB version: 7.8.3\n");
  ExpectRefusedAndUntouched(&store);
}

}  // namespace
}  // namespace tamis::testing
