// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/rocksdb_tables.h"

#include <memory>
#include <utility>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include "tests/peers/rocksdb_bits.h"

namespace tamis::testing {
namespace {

constexpr std::uint64_t kPartitionBytes = 512;
constexpr std::size_t kValueBytes = 40;
constexpr std::size_t kDeletedStep = 7;
constexpr char kLoneTable[] = "/lone/table.sst";
constexpr char kDatabase[] = "/database";

rocksdb::ChecksumType TheirChecksum(SstChecksum kind) {
  switch (kind) {
    case SstChecksum::kNone:
      return rocksdb::kNoChecksum;
    case SstChecksum::kCrc32c:
      return rocksdb::kCRC32c;
    case SstChecksum::kXxh32:
      return rocksdb::kxxHash;
    case SstChecksum::kXxh64:
      return rocksdb::kxxHash64;
    case SstChecksum::kXxh3:
      return rocksdb::kXXH3;
  }
  return rocksdb::kNoChecksum;
}

rocksdb::BlockBasedTableOptions TableOptionsOf(const TableSpec& spec) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = RocksDbPolicy(PeerSpecOf(spec.policy));
  table.format_version = static_cast<std::uint32_t>(spec.format_version);
  table.checksum = TheirChecksum(spec.checksum);
  table.whole_key_filtering = spec.rule.has_whole_keys;
  table.index_block_restart_interval = spec.index_restart_interval;
  if (spec.is_partitioned) {
    table.partition_filters = true;
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.metadata_block_size = kPartitionBytes;
  }
  return table;
}

rocksdb::Env* FilesInMemory() {
  return rocksdb::NewMemEnv(rocksdb::Env::Default());
}

rocksdb::Options OptionsOf(const TableSpec& spec, rocksdb::Env* files) {
  rocksdb::Options options;
  options.env = files;
  options.table_factory.reset(
      rocksdb::NewBlockBasedTableFactory(TableOptionsOf(spec)));
  if (spec.rule.prefix_length != 0) {
    options.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(spec.rule.prefix_length));
  }
  options.compression = spec.is_compressed ? rocksdb::kSnappyCompression
                                           : rocksdb::kNoCompression;
  options.disable_auto_compactions = true;
  options.write_buffer_size = std::size_t{256} << 20;  // one memtable
  options.paranoid_checks = true;
  return options;
}

Status FromRocksDb(const rocksdb::Status& status) {
  return status.ok() ? Status::Ok() : Status::Corruption(status.ToString());
}

void ExpectOk(const rocksdb::Status& status) {
  EXPECT_TRUE(status.ok()) << status.ToString();
}

std::string ReadFrom(rocksdb::Env* files, const std::string& path) {
  std::string content;
  ExpectOk(rocksdb::ReadFileToString(files, path, &content));
  return content;
}

// Writes all versions; a snapshot after each keeps the next from hiding it.
void WriteVersions(rocksdb::DB* db, std::span<const std::string> keys,
                   int versions) {
  std::vector<const rocksdb::Snapshot*> snapshots;
  for (int version = 0; version < versions; ++version) {
    const std::string value(kValueBytes, static_cast<char>('a' + version));
    for (const std::string& key : keys) ExpectOk(db->Put({}, key, value));
    snapshots.push_back(db->GetSnapshot());
  }
  for (std::size_t i = 0; i < keys.size(); i += kDeletedStep) {
    ExpectOk(db->Delete({}, keys[i]));
  }
  ExpectOk(db->Flush({}));
  for (const rocksdb::Snapshot* snapshot : snapshots) {
    db->ReleaseSnapshot(snapshot);
  }
}

}  // namespace

std::string TableSpec::ToString() const {
  std::string text = policy + ", format_version " +
                     std::to_string(format_version) +
                     (is_partitioned ? ", partitioned" : ", full");
  if (!rule.has_whole_keys) text += ", no whole keys";
  if (rule.prefix_length != 0) {
    text += ", prefixes of " + std::to_string(rule.prefix_length);
  }
  return text;
}

std::string WriteSst(const TableSpec& spec, std::span<const std::string> keys) {
  const std::unique_ptr<rocksdb::Env> files(FilesInMemory());
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(),
                                OptionsOf(spec, files.get()));
  ExpectOk(writer.Open(kLoneTable));
  const std::string value(kValueBytes, 'v');
  for (const std::string& key : keys) ExpectOk(writer.Put(key, value));
  ExpectOk(writer.Finish());
  return ReadFrom(files.get(), kLoneTable);
}

Status CheckedByRocksDb(const TableSpec& spec, const std::string& sst) {
  const std::unique_ptr<rocksdb::Env> files(FilesInMemory());
  ExpectOk(rocksdb::WriteStringToFile(files.get(), sst, kLoneTable));
  rocksdb::SstFileReader reader(OptionsOf(spec, files.get()));
  if (const auto opened = reader.Open(kLoneTable); !opened.ok()) {
    return FromRocksDb(opened);
  }
  return FromRocksDb(reader.VerifyChecksum());
}

PeerDb::PeerDb(const TableSpec& spec, std::span<const std::string> keys,
               int versions)
    : spec_(spec), files_(FilesInMemory()) {
  rocksdb::Options options = OptionsOf(spec, files_.get());
  options.create_if_missing = true;
  rocksdb::DB* opened = nullptr;
  ExpectOk(rocksdb::DB::Open(options, kDatabase, &opened));
  const std::unique_ptr<rocksdb::DB> db(opened);
  if (db == nullptr) return;
  WriteVersions(db.get(), keys, versions);
  std::vector<rocksdb::LiveFileMetaData> tables;
  db->GetLiveFilesMetaData(&tables);
  EXPECT_EQ(tables.size(), 1u);
  if (!tables.empty()) table_path_ = tables[0].db_path + tables[0].name;
}

PeerDb::~PeerDb() = default;

std::string PeerDb::table() const {
  return ReadFrom(files_.get(), table_path_);
}

void PeerDb::ReplaceTable(const std::string& sst) {
  ExpectOk(files_->DeleteFile(table_path_));
  ExpectOk(rocksdb::WriteStringToFile(files_.get(), sst, table_path_));
}

LookupReport PeerDb::LookUp(std::span<const std::string> keys) const {
  rocksdb::Options options = OptionsOf(spec_, files_.get());
  options.statistics = rocksdb::CreateDBStatistics();
  LookupReport report;
  rocksdb::DB* opened = nullptr;
  // Not OpenForReadOnly(): its Get() never asks a filter about a prefix.
  report.status = FromRocksDb(rocksdb::DB::Open(options, kDatabase, &opened));
  const std::unique_ptr<rocksdb::DB> db(opened);
  if (db == nullptr) return report;
  rocksdb::ReadOptions read;
  read.verify_checksums = true;
  for (const std::string& key : keys) {
    std::string value;
    const rocksdb::Status got = db->Get(read, key, &value);
    if (got.ok()) report.found.insert(key);
    if (!got.ok() && !got.IsNotFound() && report.status.ok()) {
      report.status = FromRocksDb(got);
    }
  }
  const auto count = [&options](rocksdb::Tickers ticker) {
    return options.statistics->getTickerCount(ticker);
  };
  report.ruled_out = count(rocksdb::BLOOM_FILTER_USEFUL);
  report.let_through = count(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
  report.rightly_let_through = count(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  return report;
}

}  // namespace tamis::testing
