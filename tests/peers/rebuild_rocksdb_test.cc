// SPDX-License-Identifier: Apache-2.0
// New filters for databases that the real RocksDB wrote, as `tamis rebuild`
// makes them: it opens them, finds every key, and uses the filters; after a
// crash at any moment, too.

#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/file_checksum.h>
#include <rocksdb/statistics.h>

#include "tamis/sstable_rebuild.h"
#include "tests/base/temp_dir.h"
#include "tests/peers/rocksdb_settings.h"
#include "tests/support/golden.h"
#include "tests/support/rebuild_crashes.h"

namespace tamis::testing {
namespace {

namespace fs = std::filesystem;

using StoredEntries = std::map<std::string, std::string>;

rocksdb::Options StrictRocksDbOptions(const DbSetting& setting) {
  rocksdb::Options options = SettingOptions(setting);
  options.paranoid_checks = true;
  options.verify_sst_unique_id_in_manifest = true;
  options.avoid_flush_during_shutdown = true;
  options.file_checksum_gen_factory =
      rocksdb::GetFileChecksumGenCrc32cFactory();
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}

// Overlapping tables of level 0, one below, and writes that are in the log
// only.
StoredEntries WriteDb(const std::string& dir, const DbSetting& setting,
                      int keys) {
  StoredEntries entries;
  const auto db = OpenPeer(dir, StrictRocksDbOptions(setting));
  const auto put = [&](int from, int to, const std::string& what) {
    for (int i = from; i < to; ++i) {
      entries[RocksDbKey(i)] = what + std::to_string(i);
      EXPECT_TRUE(db->Put({}, RocksDbKey(i), entries[RocksDbKey(i)]).ok());
    }
  };
  put(0, keys, "value ");
  EXPECT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  for (const char* const what : {"second ", "third "}) {
    put(keys - 50, keys + 20, what);
    entries.erase(RocksDbKey(17));
    EXPECT_TRUE(db->Delete({}, RocksDbKey(17)).ok());
    EXPECT_TRUE(db->Flush({}).ok());
  }
  put(5, 10, "in the log ");
  EXPECT_TRUE(db->Close().ok());
  return entries;
}

void ExpectHasAll(const std::string& dir, const StoredEntries& entries,
                  const DbSetting& setting) {
  const auto db = OpenPeer(dir, StrictRocksDbOptions(setting));
  ASSERT_NE(db, nullptr);
  rocksdb::ReadOptions read;
  for (const auto& [key, value] : entries) {
    std::string found;
    ASSERT_TRUE(db->Get(read, key, &found).ok()) << key;
    ASSERT_EQ(found, value);
  }
  std::size_t count = 0;
  read.total_order_seek = true;
  std::unique_ptr<rocksdb::Iterator> all(db->NewIterator(read));
  for (all->SeekToFirst(); all->Valid(); all->Next()) ++count;
  EXPECT_TRUE(all->status().ok());
  EXPECT_EQ(count, entries.size());
  EXPECT_TRUE(db->VerifyFileChecksums({}).ok());
  all.reset();
  EXPECT_TRUE(db->Close().ok());
}

TEST(RebuildRocksDb, TheRealOneFindsEveryKeyAndUsesTheFilters) {
  const DbSetting partitioned{
      .name = "",
      .filter = "ribbon",
      .is_partitioned = true,
      .index = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch};
  for (const DbSetting& setting :
       {DbSetting{.name = "", .filter = "none"},
        DbSetting{.name = "", .prefix = 6}, partitioned}) {
    SCOPED_TRACE(setting.filter);
    const TempDir dir{TempDir::InMemory()};
    const StoredEntries entries = WriteDb(dir.path(), setting, 600);
    const auto report =
        RebuildFilters(dir.path(), {.choice = {.bits_per_key = 16}});
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_EQ(report->sstables.size(), 3u);
    for (const RebuiltSstable& row : report->sstables) {
      ASSERT_TRUE(row.after.has_value()) << row.why_skipped;
      EXPECT_EQ(row.after->verdict, FilterVerdict::kOk);
      EXPECT_EQ(row.after->filter.is_partitioned, setting.is_partitioned);
      EXPECT_LT(row.after->filter.rate, 0.002);
    }
    DbSetting reading = setting;
    if (reading.filter == "none") reading.filter = "bloom";
    ExpectHasAll(dir.path(), entries, reading);
    const rocksdb::Options options = StrictRocksDbOptions(reading);
    const auto db = OpenPeer(dir.path(), options);
    std::string value;
    for (int i = 20; i < 600; ++i) {
      EXPECT_TRUE(db->Get({}, RocksDbKey(i) + "x", &value).IsNotFound());
    }
    const auto count = [&](rocksdb::Tickers ticker) {
      return options.statistics->getTickerCount(ticker);
    };
    EXPECT_GT(count(rocksdb::BLOOM_FILTER_USEFUL), 570u);
    EXPECT_LT(count(rocksdb::BLOOM_FILTER_FULL_POSITIVE), 10u);
  }
}

TEST(RebuildRocksDb, UndoBringsEveryByteBack) {
  const TempDir dir{TempDir::InMemory()};
  const TempDir before{TempDir::InMemory()};
  const StoredEntries entries = WriteDb(dir.path(), {}, 300);
  fs::copy(dir.path(), before.path(), fs::copy_options::recursive);
  const auto report =
      RebuildFilters(dir.path(), {.choice = {.rate = 0.001, .kind = "ribbon"}});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  const auto undone = UndoRebuild(dir.path());
  ASSERT_TRUE(undone.ok()) << undone.status().ToString();
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(before.path())) {
    ++files;
    const std::string name = entry.path().filename();
    EXPECT_EQ(dir.Read(name), before.Read(name)) << name;
  }
  EXPECT_EQ(dir.Count(), files);
  ExpectHasAll(dir.path(), entries, {});
}

TEST(RebuildRocksDb, BlobFilesAreRefusedBeforeAnythingIsWritten) {
  const TempDir dir{TempDir::InMemory()};
  rocksdb::Options options = SettingOptions({});
  options.enable_blob_files = true;
  {
    const auto db = OpenPeer(dir.path(), options);
    EXPECT_TRUE(db->Put({}, "key", "value").ok());
    EXPECT_TRUE(db->Flush({}).ok());
  }
  const std::size_t files = dir.Count();
  const auto refused =
      RebuildFilters(dir.path(), {.choice = {.bits_per_key = 16}});
  EXPECT_EQ(refused.status().code(), StatusCode::kNotSupported);
  EXPECT_NE(refused.status().message().find("blob files"), std::string::npos)
      << refused.status().ToString();
  EXPECT_EQ(dir.Count(), files);
}

TEST(RebuildRocksDb, ACrashOrAFailureOfAnyCallLeavesTheOldOrTheNew) {
  const TempDir dir{TempDir::InMemory()};
  const StoredEntries entries = WriteDb(dir.path(), {}, 100);
  CrashTrial trial;
  trial.from = dir.path();
  trial.options.choice.bits_per_key = 12;
  trial.check = [&entries](const std::string& left) {
    ExpectHasAll(left, entries, {});
  };
  EXPECT_GT(CrashAtEveryCall(trial, CrashMode::kDropUnsynced), 50);
  EXPECT_GT(FailAtEveryCall(trial, ENOSPC, true), 50);
}

}  // namespace
}  // namespace tamis::testing
