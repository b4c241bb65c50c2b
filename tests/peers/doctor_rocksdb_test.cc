// SPDX-License-Identifier: Apache-2.0
// What tamis/sstable.h reads of databases that the real RocksDB wrote, with
// many settings, agrees with the settings and with RocksDB's own properties.

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table_properties.h>

#include "base/coding.h"
#include "tamis/sstable.h"
#include "tests/base/temp_dir.h"
#include "tests/peers/rocksdb_settings.h"
#include "tests/peers/rocksdb_tables.h"
#include "tests/support/walked_keys.h"

namespace tamis::testing {
namespace {

namespace fs = std::filesystem;

class DoctorRocksDb : public ::testing::TestWithParam<DbSetting> {
 protected:
  void SetUp() override {
    if (!CanRead(GetParam().compression)) GTEST_SKIP() << "no such codec";
    auto db = OpenPeer(dir_.path(), SettingOptions(GetParam()));
    ASSERT_NE(db, nullptr);
    keys_ = FillLevels(db.get());
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    for (const auto& file : files) files_[file.name.substr(1)] = file;
    rocksdb::TablePropertiesCollection properties;
    ASSERT_TRUE(db->GetPropertiesOfAllTables(&properties).ok());
    for (const auto& [path, of] : properties) {
      properties_[fs::path(path).filename().string()] = of;
    }
    ASSERT_TRUE(db->Close().ok());
    auto listing = FindSstables(dir_.path());
    ASSERT_TRUE(listing.ok()) << listing.status().ToString();
    listing_ = *std::move(listing);
  }

  void ExpectLevels() const;
  // What was configured, and what RocksDB's own properties tell.
  void ExpectWhatWasConfigured() const;
  void ExpectAllKeys() const;  // none is hidden

  TempDir dir_{TempDir::InMemory()};
  std::set<std::string> keys_;
  std::map<std::string, rocksdb::LiveFileMetaData> files_;
  std::map<std::string, std::shared_ptr<const rocksdb::TableProperties>>
      properties_;
  SstableListing listing_;
};

void DoctorRocksDb::ExpectLevels() const {
  EXPECT_TRUE(listing_.problems.empty());
  ASSERT_EQ(listing_.sstables.size(), files_.size());
  ASSERT_EQ(files_.size(), 3u);
  for (const FoundSstable& found : listing_.sstables) {
    const auto& file = files_.at(fs::path(found.path).filename().string());
    EXPECT_EQ(found.engine, "rocksdb");
    EXPECT_EQ(found.level, file.level);
    EXPECT_EQ(found.bytes, file.size);
    EXPECT_EQ(found.recorded_bytes, file.size);
    EXPECT_NE(found.group.find("level " + std::to_string(file.level)),
              std::string::npos);
  }
}

void DoctorRocksDb::ExpectWhatWasConfigured() const {
  const DbSetting& setting = GetParam();
  std::uint64_t most_parts = 0;
  for (const FoundSstable& found : listing_.sstables) {
    const auto sstable = OpenSstable(found);
    ASSERT_TRUE(sstable.ok());
    const SstableInfo& info = (*sstable)->info();
    const auto& stored = properties_.at(fs::path(found.path).filename());
    EXPECT_EQ(info.version, std::to_string(setting.format_version));
    EXPECT_EQ(info.entries, stored->num_entries);
    EXPECT_EQ(info.compression, stored->compression_name);
    EXPECT_EQ(info.comparator, stored->comparator_name);
    EXPECT_EQ(info.filter.has_whole_keys, setting.has_whole_keys);
    EXPECT_EQ(info.filter.prefix_extractor.empty(), setting.prefix == 0);
    EXPECT_TRUE(info.why_not_verifiable.empty()) << info.why_not_verifiable;
    if (setting.filter == "none") {
      EXPECT_EQ(info.verdict, FilterVerdict::kMissing);
      EXPECT_EQ(info.filter.kind, "");
      continue;
    }
    // Of few keys, the Ribbon policy makes a Bloom filter.
    if (info.filter.kind != "mixed" || !setting.is_partitioned) {
      EXPECT_EQ(info.filter.kind, setting.filter);
    }
    EXPECT_EQ(info.filter.is_partitioned, setting.is_partitioned);
    most_parts = std::max(most_parts, info.filter.parts);
    EXPECT_EQ(info.verdict, setting.format_version < 5
                                ? FilterVerdict::kLegacyHash
                                : FilterVerdict::kOk);
    EXPECT_EQ(info.filter.keys,
              static_cast<double>(stored->num_filter_entries));
    EXPECT_LT(info.filter.rate, 0.05);
    EXPECT_TRUE(!setting.has_whole_keys || info.filter.rate > 0.001);
    if (!setting.is_partitioned) {
      EXPECT_EQ(info.filter.bytes, stored->filter_size);
    }
  }
  EXPECT_EQ(most_parts > 1, setting.is_partitioned);
}

void DoctorRocksDb::ExpectAllKeys() const {
  std::set<std::string> read;
  std::uint64_t entries = 0;
  for (const FoundSstable& found : listing_.sstables) {
    const WalkedKeys walked = WalkAll(found);
    EXPECT_EQ(walked.problems, std::vector<std::string>());
    EXPECT_EQ(walked.hidden, std::vector<std::string>());
    EXPECT_TRUE(std::is_sorted(walked.keys.begin(), walked.keys.end()));
    read.insert(walked.keys.begin(), walked.keys.end());
    entries += walked.keys.size();
    EXPECT_EQ(walked.keys.size(),
              properties_.at(fs::path(found.path).filename())->num_entries);
  }
  EXPECT_EQ(read, keys_);
  EXPECT_GT(entries, keys_.size());
}

// One database each, because writing one takes most of the time.
TEST_P(DoctorRocksDb, ShowsLevelsSettingsPropertiesAndEveryKey) {
  ExpectLevels();
  ExpectWhatWasConfigured();
  ExpectAllKeys();
}

INSTANTIATE_TEST_SUITE_P(AllSettings, DoctorRocksDb,
                         ::testing::ValuesIn(DbSettings()),
                         [](const auto& setting) {
                           return setting.param.name;
                         });

// RocksDB writes the sequence number of all its entries into an ingested table,
// and leaves the checksum as it was.
TEST(DoctorRocksDbIngested, ATableWithAGlobalSequenceNumberIsRead) {
  const TempDir dir{TempDir::InMemory()};
  const TempDir other{TempDir::InMemory()};
  const rocksdb::Options options = SettingOptions({});
  const auto db = OpenPeer(dir.path(), options);
  ASSERT_NE(db, nullptr);
  ASSERT_TRUE(db->Put({}, RocksDbKey(5), "older").ok());
  const std::string path = other.File("external.sst");
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  ASSERT_TRUE(writer.Open(path).ok());
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(writer.Put(RocksDbKey(i), "ingested").ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
  rocksdb::IngestExternalFileOptions ingestion;
  ingestion.write_global_seqno = true;
  ASSERT_TRUE(db->IngestExternalFile({path}, ingestion).ok());
  ASSERT_TRUE(db->Close().ok());
  const auto listing = FindSstables(dir.path());
  ASSERT_TRUE(listing.ok());
  ASSERT_EQ(listing->sstables.size(), 2u);
  for (const FoundSstable& found : listing->sstables) {
    const auto sstable = OpenSstable(found);
    ASSERT_TRUE(sstable.ok());
    EXPECT_EQ((*sstable)->info().verdict, FilterVerdict::kOk);
    EXPECT_EQ(WalkAll(found).problems, std::vector<std::string>());
  }
}

std::vector<std::string> SomeKeys() {
  std::vector<std::string> keys;
  for (int i = 0; i < 900; ++i) keys.push_back(RocksDbKey(i));
  return keys;
}

// Returns the table with one filter in which one bit that is set was cleared,
// its checksum right again.
std::string WithOneBitLess(const std::string& sst, std::size_t which,
                           std::size_t from) {
  const auto table = ParseSst(sst);
  EXPECT_TRUE(table.ok()) << table.status().ToString();
  std::string filter = table->filters[which].bytes;
  for (std::size_t i = from; i + 5 < filter.size(); ++i) {
    if (filter[i] == 0) continue;
    filter[i] = static_cast<char>(ByteAt(filter, i) & (ByteAt(filter, i) - 1));
    break;
  }
  return WithFilter(sst, *table, which, filter);
}

TEST(DoctorRocksDbDamage, AClearedBitHidesKeysThatAreNamed) {
  for (const TableSpec& spec :
       {TableSpec{.policy = "rocksdb:10", .checksum = SstChecksum::kXxh3},
        TableSpec{.policy = "rocksdb-legacy:10", .format_version = 4},
        TableSpec{.policy = "rocksdb-ribbon:10"},
        TableSpec{.policy = "rocksdb:10", .is_partitioned = true}}) {
    SCOPED_TRACE(spec.ToString());
    const std::string sst = WriteSst(spec, SomeKeys());
    const TempDir dir{TempDir::InMemory()};
    const std::string path = dir.Write("000007.sst", sst);
    const FoundSstable found{.path = path, .engine = "rocksdb"};
    EXPECT_EQ(WalkAll(found).hidden, std::vector<std::string>());
    // In a ribbon a bit may concern no key, so try some.
    std::vector<std::string> hidden;
    for (std::size_t from = 0; from < 40 && hidden.empty(); ++from) {
      dir.Write("000007.sst", WithOneBitLess(sst, 0, from * 3));
      hidden = WalkAll(found).hidden;
    }
    ASSERT_FALSE(hidden.empty());
    const std::vector<std::string> keys = SomeKeys();
    for (const std::string& key : hidden) {
      EXPECT_TRUE(std::binary_search(keys.begin(), keys.end(), key)) << key;
      EXPECT_FALSE((*OpenSstable(found))->MayContain(key)) << key;
    }
  }
}

TEST(DoctorRocksDbDamage, AFlippedBitAnywhereIsNoticedAndTheWalkGoesOn) {
  const std::string sst = WriteSst(
      {.policy = "rocksdb:10", .checksum = SstChecksum::kXxh64}, SomeKeys());
  const auto table = ParseSst(sst);
  ASSERT_TRUE(table.ok());
  const TempDir dir{TempDir::InMemory()};
  const FoundSstable found{.path = dir.File("000007.sst"), .engine = "rocksdb"};
  for (std::size_t i = 0; i < sst.size(); i += 97) {
    SCOPED_TRACE(i);
    std::string damaged = sst;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    dir.Write("000007.sst", damaged);
    const auto sstable = OpenSstable(found);
    ASSERT_TRUE(sstable.ok());
    const SstableInfo& info = (*sstable)->info();
    if (!info.why_not_verifiable.empty()) {
      EXPECT_EQ(info.verdict, FilterVerdict::kUnreadable);
      EXPECT_NE(info.remarks.front().find("offset "), std::string::npos);
      continue;
    }
    const WalkedKeys walked = WalkAll(found);
    // Keys of the damaged block are not read; nothing is hidden.
    EXPECT_EQ(walked.hidden, std::vector<std::string>());
    const bool is_noticed =
        !walked.problems.empty() || info.verdict == FilterVerdict::kDamaged;
    EXPECT_TRUE(is_noticed || i >= table->metaindex.offset);
    EXPECT_LE(walked.problems.size(), 1u);
    if (info.verdict != FilterVerdict::kDamaged && !walked.problems.empty() &&
        i < table->index.offset) {
      EXPECT_GT(walked.keys.size(), 600u);
      EXPECT_NE(walked.problems.front().find("000007.sst: offset "),
                std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tamis::testing
