// SPDX-License-Identifier: Apache-2.0
// CheckStore() and Store::Open() agree: what does not open has a problem, and
// what has none opens and can be read.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "store/batch_access.h"
#include "store/file_names.h"
#include "store/log_writer.h"
#include "store/manifest.h"
#include "tamis/store.h"
#include "tests/store/batch_history.h"
#include "tests/store/log_files.h"
#include "tests/store/stores.h"

namespace tamis::testing {
namespace {

// Tables in two levels and a log.
Files SmallStore() {
  TestStore store(StillOptions());
  for (std::uint64_t i = 0; i < 40; ++i) store.Put(NumberKey(i), "first");
  store.Compact();
  for (std::uint64_t i = 0; i < 40; i += 2) store.Put(NumberKey(i), "second");
  store.Flush();
  for (std::uint64_t i = 0; i < 40; i += 3) store.Delete(NumberKey(i));
  store.Close();
  return FilesOf(&store.env());
}

struct Tally {
  int tried = 0;
  int not_opened = 0;
  int with_problems = 0;
};

// Reads all: Ok, or the first error.
Status ReadAll(Store* store) {
  const auto it = store->NewIterator({.verify_checksums = true});
  std::string value;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    if (Status got = store->Get({}, it->key(), &value); !got.ok()) return got;
  }
  return it->status();
}

void ExpectAgreement(const Files& files, Tally* tally) {
  MemoryEnv env;
  PutFiles(files, &env);
  StoreOptions options;
  options.env = &env;
  const Result<CheckReport> checked = CheckStore("/db", options);
  const bool is_well = checked.ok() && checked->problems.empty();
  options.read_only = true;
  Result<std::unique_ptr<Store>> opened = Store::Open("/db", options);
  Status read = opened.ok() ? ReadAll(opened.value().get()) : opened.status();
  if (opened.ok()) opened.value().reset();
  EXPECT_TRUE(!is_well || read.ok()) << read.ToString();
  options.read_only = false;
  const Status written = Store::Open("/db", options).status();
  EXPECT_TRUE(!is_well || written.ok()) << written.ToString();
  ++tally->tried;
  tally->not_opened += !opened.ok() || !written.ok();
  tally->with_problems += !is_well;
}

TEST(CheckAgrees, WhateverBitIsWrong) {
  const Files files = SmallStore();
  Tally tally;
  for (const auto& [path, bytes] : files) {
    if (path.ends_with("/LOG") || path.ends_with("/LOCK")) continue;
    const bool is_table = path.ends_with(".ldb");
    for (std::size_t at = 0; at < bytes.size(); at += is_table ? 3u : 1u) {
      Files damaged = files;
      char& byte = damaged[path][at];
      byte = static_cast<char>(byte ^ (1 << (at + at / 8) % 8));
      SCOPED_TRACE(path + " at " + std::to_string(at));
      ExpectAgreement(damaged, &tally);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(tally.not_opened, tally.tried / 10);
  EXPECT_GT(tally.with_problems, tally.not_opened);
}

TEST(CheckAgrees, WhereverAFileIsCutOff) {
  const Files files = SmallStore();
  Tally tally;
  for (const auto& [path, bytes] : files) {
    for (std::size_t size = 0; size < bytes.size();
         size += path.ends_with(".ldb") ? 97u : 7u) {
      Files damaged = files;
      damaged[path].resize(size);
      SCOPED_TRACE(path + " cut to " + std::to_string(size));
      ExpectAgreement(damaged, &tally);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(tally.not_opened, 0);
}

TEST(CheckAgrees, WhicheverFileIsMissing) {
  const Files files = SmallStore();
  Tally tally;
  for (const auto& [path, bytes] : files) {
    Files damaged = files;
    damaged.erase(path);
    SCOPED_TRACE(path);
    ExpectAgreement(damaged, &tally);
  }
}

// ---- What has the right checksums, and is wrong nevertheless ----

std::string BatchAt(Sequence sequence) {
  WriteBatch batch;
  batch.Put("key", "value");
  BatchAccess::SetSequence(&batch, sequence);
  return std::string(batch.contents());
}

VersionEdit EmptyStore() {
  ManifestState state;
  state.comparator = std::string(BytewiseComparator().name());
  state.log_number = 5;
  state.next_file_number = 10;
  return FullEdit(state);
}

Files StoreOf(const VersionEdit& edit) {
  std::string record;
  edit.AppendTo(&record);
  return {{"/db/CURRENT", "MANIFEST-000002\n"},
          {"/db/MANIFEST-000002", LogOf({record})}};
}

void ExpectBothRefuse(const Files& files) {
  Tally tally;
  ExpectAgreement(files, &tally);
  EXPECT_EQ(tally.not_opened, 1);
  EXPECT_EQ(tally.with_problems, 1);
}

TEST(CheckAgrees, OnASequenceNumberThatIsTooLarge) {
  Files files = StoreOf(EmptyStore());
  files["/db/000005.log"] = LogOf({BatchAt(kMaxSequence)});
  ExpectBothRefuse(files);
}

TEST(CheckAgrees, OnTheLogBeforeTheLast) {
  VersionEdit edit = EmptyStore();
  edit.previous_log_number = 3;
  Files files = StoreOf(edit);
  files["/db/000003.log"] = LogOf({BatchAt(kMaxSequence)});
  ExpectBothRefuse(files);
  // One that is not needed is not read by either.
  files["/db/000004.log"] = std::exchange(files["/db/000003.log"], "");
  Tally tally;
  ExpectAgreement(files, &tally);
  EXPECT_EQ(tally.with_problems, 0);
}

TEST(CheckAgrees, OnFileNumbersThatCannotBeCountedOn) {
  for (const std::uint64_t number :
       {kMaxFileNumber + 1, UINT64_MAX - 1, UINT64_MAX}) {
    VersionEdit edit = EmptyStore();
    edit.next_file_number = number;
    ExpectBothRefuse(StoreOf(edit));
    edit = EmptyStore();
    edit.log_number = number;
    ExpectBothRefuse(StoreOf(edit));
  }
}

TEST(CheckAgrees, OnTablesThatOverlapInALevel) {
  Files files = SmallStore();
  VersionEdit edit = EmptyStore();
  FileMetadata metadata;
  metadata.number = 7;
  AppendInternalKey(&metadata.smallest, "a", 1, ValueType::kValue);
  AppendInternalKey(&metadata.largest, "c", 1, ValueType::kValue);
  edit.added = {{1, metadata}, {1, metadata}};
  edit.added[1].second.number = 8;
  ExpectBothRefuse(StoreOf(edit));
}

// Entries that the manifest's last sequence number hides.
TEST(CheckAgrees, OnEntriesThatNobodyWouldSee) {
  TestStore store(StillOptions());
  store.Put("key", "value");
  store.Flush();
  store.Close();
  Result<ManifestState> state = ReadManifest(store.env(), "/db");
  ASSERT_TRUE(state.ok());
  state->last_sequence = 0;
  {
    Manifest manifest(store.env(), "/db");
    ASSERT_TRUE(manifest.Start(90, FullEdit(*state)).ok());
  }
  const auto checked = CheckStore("/db", store.options());
  ASSERT_TRUE(checked.ok());
  ASSERT_EQ(checked->problems.size(), 1u);
  const auto repaired = RepairStore("/db", store.options());
  ASSERT_TRUE(repaired.ok());
  EXPECT_FALSE(repaired->was_clean);
  store.Open();
  EXPECT_EQ(store.All(), "key=value");
}

TEST(CheckNotes, TellOfFilesThatNobodyNeeds) {
  Files files = SmallStore();
  MemoryEnv env;
  PutFiles(files, &env);
  StoreOptions options;
  options.env = &env;
  Result<CheckReport> checked = CheckStore("/db", options);
  ASSERT_TRUE(checked.ok());
  EXPECT_TRUE(checked->notes.empty());
  env.SetContents("/db/000001.log", "old");
  env.SetContents("/db/000999.ldb", "not finished");
  checked = CheckStore("/db", options);
  ASSERT_TRUE(checked.ok());
  EXPECT_TRUE(checked->problems.empty());
  ASSERT_EQ(checked->notes.size(), 1u);
  EXPECT_NE(checked->notes[0].find("2 tables or logs"), std::string::npos);
}

}  // namespace
}  // namespace tamis::testing
