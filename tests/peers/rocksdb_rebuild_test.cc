// SPDX-License-Identifier: Apache-2.0
// Databases that the real RocksDB wrote, with other filters: RocksDB opens
// them, finds nothing wrong with them, finds every key, and asks the new
// filters.

#include "tests/support/rocksdb_rebuild.h"

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/file_checksum.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_dump_tool.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>
#include <rocksdb/utilities/ldb_cmd.h>

#include "sstable/manifest.h"
#include "tamis/sstable.h"
#include "tests/base/temp_dir.h"
#include "tests/peers/rocksdb_settings.h"
#include "tests/support/golden.h"
#include "tests/support/walked_keys.h"

namespace tamis::testing {
namespace {

namespace fs = std::filesystem;
using Form = RocksDbNewFilter::Form;

RocksDbNewFilter NewFilter(Form form, RocksDbKind kind, double bits) {
  RocksDbNewFilter filter;
  filter.form = form;
  filter.kind = kind;
  filter.sizing.bits_per_key = bits;
  filter.partition_bytes = 128;
  return filter;
}

// What the command-line tools `ldb` and `sst_dump` are made of.
void ExpectToolsAreContent(const std::string& dir) {
  ::testing::internal::CaptureStdout();
  const std::string db = "--db=" + dir;
  const char* const consistency[] = {"ldb", db.c_str(), "checkconsistency"};
  const std::unique_ptr<rocksdb::LDBCommand> ldb(
      rocksdb::LDBCommand::InitFromCmdLineArgs(3, consistency, {}, {},
                                               nullptr));
  ldb->Run();
  rocksdb::LDBCommandExecuteResult result = ldb->GetExecuteState();
  const std::string file = "--file=" + dir;
  const char* const verify[] = {"sst_dump", file.c_str(), "--command=verify"};
  const int code = rocksdb::SSTDumpTool().Run(3, verify);
  std::fflush(stdout);
  const std::string printed = ::testing::internal::GetCapturedStdout();
  EXPECT_TRUE(result.IsSucceed()) << result.ToString() << printed;
  EXPECT_EQ(code, 0) << printed;
  EXPECT_EQ(printed.find("orrupt"), std::string::npos) << printed;
}

// What to open a database with that was written with this setting.
rocksdb::Options StrictOptions(DbSetting setting) {
  // Without a policy, RocksDB ignores filters.
  if (setting.filter == "none") setting.filter = "bloom";
  rocksdb::Options options = SettingOptions(setting);
  options.paranoid_checks = true;
  options.force_consistency_checks = true;
  options.verify_sst_unique_id_in_manifest = true;
  options.file_checksum_gen_factory =
      rocksdb::GetFileChecksumGenCrc32cFactory();
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}

struct FilterCounts {
  std::uint64_t ruled_out = 0;
  std::uint64_t admitted = 0;
};

// What the filters of the tables that may have a key answer, read by us.
FilterCounts CountByUs(const std::string& dir,
                       const std::vector<std::string>& keys) {
  FilterCounts counts;
  const auto listing = FindSstables(dir);
  EXPECT_TRUE(listing.ok());
  for (const FoundSstable& found : listing->sstables) {
    const auto sstable = OpenSstable(found);
    const WalkedKeys walked = WalkAll(**sstable);
    EXPECT_EQ(walked.hidden, std::vector<std::string>());
    EXPECT_EQ(walked.problems, std::vector<std::string>());
    for (const std::string& key : keys) {
      if (key < walked.keys.front() || walked.keys.back() < key) continue;
      ++((*sstable)->MayContain(key) ? counts.admitted : counts.ruled_out);
    }
  }
  return counts;
}

FilterCounts CountByRocksDb(rocksdb::DB* db,
                            const std::vector<std::string>& keys) {
  rocksdb::Statistics& statistics = *db->GetOptions().statistics;
  EXPECT_TRUE(statistics.Reset().ok());
  rocksdb::ReadOptions read;
  read.verify_checksums = true;
  std::string value;
  for (const std::string& key : keys) {
    EXPECT_TRUE(db->Get(read, key, &value).IsNotFound()) << key;
  }
  return {.ruled_out = statistics.getTickerCount(rocksdb::BLOOM_FILTER_USEFUL),
          .admitted =
              statistics.getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE)};
}

std::vector<std::string> AbsentKeys() {
  std::vector<std::string> keys;
  for (int i = 10; i < 890; ++i) {
    for (const char* const end : {"+", "-x", "/abc"}) {
      keys.push_back(RocksDbKey(i) + end);
    }
  }
  return keys;
}

class RebuiltRocksDb : public ::testing::TestWithParam<DbSetting> {
 protected:
  void SetUp() override {
    if (!CanRead(GetParam().compression)) GTEST_SKIP() << "no such codec";
    rocksdb::Options options = SettingOptions(GetParam());
    options.file_checksum_gen_factory =
        rocksdb::GetFileChecksumGenCrc32cFactory();
    auto db = OpenPeer(dir_.path(), options);
    ASSERT_NE(db, nullptr);
    alive_ = FillLevels(db.get());
    alive_.erase(RocksDbKey(5));
    ASSERT_TRUE(db->Close().ok());
  }

  void ExpectSound(const RocksDbNewFilter& filter) const;
  void ExpectEveryKey(rocksdb::DB* db) const;
  void ExpectEverySearchByPrefix(rocksdb::DB* db) const;

  TempDir dir_{TempDir::InMemory()};
  std::set<std::string> alive_;
};

void RebuiltRocksDb::ExpectEveryKey(rocksdb::DB* db) const {
  rocksdb::ReadOptions read;
  read.verify_checksums = true;
  std::string value;
  for (const std::string& key : alive_) {
    EXPECT_TRUE(db->Get(read, key, &value).ok()) << key;
  }
  std::set<std::string> scanned;
  read.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> all(db->NewIterator(read));
  for (all->SeekToFirst(); all->Valid(); all->Next()) {
    scanned.insert(all->key().ToString());
  }
  EXPECT_TRUE(all->status().ok()) << all->status().ToString();
  EXPECT_EQ(scanned, alive_);
}

// From wherever it starts, a search finds the next key of the same prefix.
void RebuiltRocksDb::ExpectEverySearchByPrefix(rocksdb::DB* db) const {
  const std::size_t bytes = GetParam().prefix;
  if (bytes == 0) return;
  rocksdb::ReadOptions read;
  read.prefix_same_as_start = true;
  const std::unique_ptr<rocksdb::Iterator> found(db->NewIterator(read));
  std::vector<std::string> starts = AbsentKeys();
  for (const std::string& key : alive_) starts.push_back(key.substr(0, bytes));
  for (const std::string& start : starts) {
    const auto next = alive_.lower_bound(start);
    const bool has_next = next != alive_.end() &&
                          next->substr(0, bytes) == start.substr(0, bytes);
    found->Seek(start);
    EXPECT_EQ(found->Valid(), has_next) << start;
    if (has_next && found->Valid()) {
      EXPECT_EQ(found->key().ToString(), *next);
    }
    const auto after = alive_.upper_bound(start);
    if (after == alive_.begin()) continue;
    const std::string& before = *std::prev(after);
    if (before.substr(0, bytes) != start.substr(0, bytes)) continue;
    found->SeekForPrev(start);
    ASSERT_TRUE(found->Valid()) << start;
    EXPECT_EQ(found->key().ToString(), before);
  }
}

void RebuiltRocksDb::ExpectSound(const RocksDbNewFilter& filter) const {
  const std::vector<std::string> absent = AbsentKeys();
  const FilterCounts expected = CountByUs(dir_.path(), absent);
  auto db = OpenPeer(dir_.path(), StrictOptions(GetParam()));
  ASSERT_NE(db, nullptr);
  rocksdb::ReadOptions read;
  for (const auto& verified :
       {db->VerifyChecksum(read), db->VerifyFileChecksums(read)}) {
    EXPECT_TRUE(verified.ok()) << verified.ToString();
  }
  rocksdb::TablePropertiesCollection properties;
  ASSERT_TRUE(db->GetPropertiesOfAllTables(&properties).ok());
  EXPECT_EQ(properties.size(), 3u);
  for (const auto& [path, of] : properties) {
    EXPECT_EQ(of->filter_policy_name.empty(), filter.form == Form::kNone);
    EXPECT_EQ(of->filter_size == 0, filter.form == Form::kNone);
    EXPECT_EQ(of->num_filter_entries == 0, filter.form == Form::kNone);
  }
  ExpectEveryKey(db.get());
  ExpectEverySearchByPrefix(db.get());
  const FilterCounts counted = CountByRocksDb(db.get(), absent);
  ASSERT_TRUE(db->Close().ok());
  if (filter.form == Form::kNone) {
    EXPECT_EQ(counted.ruled_out + counted.admitted, 0u);
    return;
  }
  EXPECT_EQ(counted.ruled_out, expected.ruled_out);
  EXPECT_EQ(counted.admitted, expected.admitted);
  if (!GetParam().has_whole_keys) return;
  // The rates of 16 and of 6 bits per key, whatever the kind.
  const double rate = static_cast<double>(counted.admitted) /
                      static_cast<double>(counted.admitted + counted.ruled_out);
  EXPECT_GT(counted.ruled_out, absent.size());
  // With prefixes, these take a share of the bits.
  const bool has_many_bits = filter.sizing.bits_per_key == 16;
  EXPECT_LT(rate, has_many_bits ? 0.004 : 0.12);
  EXPECT_GT(rate, has_many_bits ? -1 : 0.01);
}

TEST_P(RebuiltRocksDb, EveryKeyIsFoundAndTheNewFilterIsAsked) {
  const bool is_partitioned =
      GetParam().index == rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  TableNumbers numbers = TableNumbers::kSame;
  for (const Form form : {Form::kFull, Form::kPartitioned, Form::kNone}) {
    if (form == Form::kPartitioned && !is_partitioned) continue;
    for (const RocksDbKind kind : {RocksDbKind::kBloom, RocksDbKind::kRibbon}) {
      const double bits = kind == RocksDbKind::kBloom ? 16 : 6;
      const RocksDbNewFilter filter = NewFilter(form, kind, bits);
      SCOPED_TRACE(std::to_string(static_cast<int>(form)) + " " +
                   std::to_string(bits));
      ASSERT_NO_FATAL_FAILURE(RebuildDatabase(dir_.path(), filter, numbers));
      ASSERT_NO_FATAL_FAILURE(ExpectSound(filter));
      numbers = numbers == TableNumbers::kSame ? TableNumbers::kNew
                                               : TableNumbers::kSame;
      if (form == Form::kNone) break;
    }
  }
  ExpectToolsAreContent(dir_.path());
}

INSTANTIATE_TEST_SUITE_P(AllSettings, RebuiltRocksDb,
                         ::testing::ValuesIn(DbSettings()),
                         [](const auto& setting) {
                           return setting.param.name;
                         });

// With one filter for the table and one level of index, all that is written
// follows from the keys and the setting.
TEST(RebuiltRocksDbTable, WithItsOwnSettingItIsTheSameFile) {
  int tables = 0;
  for (const DbSetting& setting : DbSettings()) {
    // Prefixes are counted differently from release to release.
    if (setting.is_partitioned || setting.prefix != 0) continue;
    if (!CanRead(setting.compression)) continue;
    SCOPED_TRACE(setting.name);
    const TempDir dir{TempDir::InMemory()};
    const auto db = OpenPeer(dir.path(), SettingOptions(setting));
    ASSERT_NE(db, nullptr);
    FillLevels(db.get());
    ASSERT_TRUE(db->Close().ok());
    const RocksDbKind kind = setting.filter == "ribbon" ? RocksDbKind::kRibbon
                             : setting.format_version < 5
                                 ? RocksDbKind::kLegacyBloom
                                 : RocksDbKind::kBloom;
    const RocksDbNewFilter same = NewFilter(
        setting.filter == "none" ? Form::kNone : Form::kFull, kind, 10);
    const auto manifest = ReadLevelManifest(dir.path());
    ASSERT_TRUE(manifest.ok());
    for (const auto& [number, table] : manifest->tables) {
      const std::string path = TablePath(dir.path(), number);
      const RebuiltFile rebuilt = RebuildFile(path, same);
      EXPECT_TRUE(rebuilt.bytes == ReadFile(path)) << number;
      ++tables;
    }
  }
  EXPECT_GT(tables, 30);
}

}  // namespace
}  // namespace tamis::testing
