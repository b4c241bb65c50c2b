// SPDX-License-Identifier: Apache-2.0
// Databases of RocksDB with several column families, range deletions, ingested
// and moved tables keep all of it when filters are rebuilt; what is not
// understood is refused by name.

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include "sstable/manifest.h"
#include "tests/base/temp_dir.h"
#include "tests/peers/rocksdb_settings.h"
#include "tests/peers/rocksdb_sst.h"
#include "tests/peers/rocksdb_tables.h"
#include "tests/support/golden.h"
#include "tests/support/rocksdb_rebuild.h"

namespace tamis::testing {
namespace {

using Form = RocksDbNewFilter::Form;

RocksDbNewFilter Bloom(Form form = Form::kFull) {
  RocksDbNewFilter filter;
  filter.form = form;
  filter.sizing.bits_per_key = 12;
  return filter;
}

void ExpectStatusOk(const rocksdb::Status& status) {
  EXPECT_TRUE(status.ok()) << status.ToString();
}

// A database with two column families, both open.
class TwoFamilies {
 public:
  explicit TwoFamilies(const std::string& dir) {
    rocksdb::Options options = SettingOptions(
        {.name = "",
         .is_partitioned = true,
         .index = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch});
    options.create_missing_column_families = true;
    options.atomic_flush = true;
    options.paranoid_checks = true;
    rocksdb::Options second = SettingOptions({.name = "", .prefix = 5});
    second.comparator = rocksdb::ReverseBytewiseComparator();
    rocksdb::DB* db = nullptr;
    ExpectStatusOk(rocksdb::DB::Open(options, dir,
                                     {{"default", options}, {"second", second}},
                                     &families_, &db));
    db_.reset(db);
  }
  ~TwoFamilies() {
    for (rocksdb::ColumnFamilyHandle* family : families_) {
      ExpectStatusOk(db_->DestroyColumnFamilyHandle(family));
    }
    ExpectStatusOk(db_->Close());
  }
  TwoFamilies(const TwoFamilies&) = delete;
  TwoFamilies& operator=(const TwoFamilies&) = delete;

  rocksdb::DB& db() { return *db_; }
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() {
    return families_;
  }

  // All that both have, by a scan and by lookups of every key that was written.
  std::vector<std::map<std::string, std::string>> Contents() {
    std::vector<std::map<std::string, std::string>> contents;
    rocksdb::ReadOptions read;
    read.total_order_seek = true;
    for (rocksdb::ColumnFamilyHandle* family : families_) {
      auto& scanned = contents.emplace_back();
      const std::unique_ptr<rocksdb::Iterator> all(
          db_->NewIterator(read, family));
      for (all->SeekToFirst(); all->Valid(); all->Next()) {
        scanned[all->key().ToString()] = all->value().ToString();
      }
      ExpectStatusOk(all->status());
      for (int i = 0; i < 900; ++i) {
        std::string value;
        const auto got = db_->Get({}, family, RocksDbKey(i), &value);
        const auto found = scanned.find(RocksDbKey(i));
        EXPECT_EQ(got.ok(), found != scanned.end()) << RocksDbKey(i);
        if (got.ok() && found != scanned.end()) {
          EXPECT_EQ(value, found->second);
        }
      }
    }
    return contents;
  }

 private:
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

void WriteBothFamilies(TwoFamilies* two) {
  rocksdb::DB& db = two->db();
  for (int part = 0; part < 3; ++part) {
    for (rocksdb::ColumnFamilyHandle* family : two->families()) {
      for (int i = part * 200; i < part * 200 + 300; ++i) {
        ExpectStatusOk(
            db.Put({}, family, RocksDbKey(i), std::to_string(i * part)));
      }
    }
    ExpectStatusOk(db.Flush({}, two->families()));
  }
  // A table of range deletions alone.
  rocksdb::ColumnFamilyHandle* const first = two->families()[0];
  ExpectStatusOk(db.DeleteRange({}, first, RocksDbKey(100), RocksDbKey(150)));
  ExpectStatusOk(db.Flush({}, two->families()));
  // One more with keys, which is then moved as it is.
  ExpectStatusOk(db.Put({}, first, RocksDbKey(890), "last"));
  ExpectStatusOk(db.DeleteRange({}, first, RocksDbKey(880), RocksDbKey(885)));
  ExpectStatusOk(db.Flush({}, two->families()));
  const rocksdb::Slice from("user1889");
  ExpectStatusOk(db.CompactRange({}, first, &from, nullptr));
}

void Ingest(TwoFamilies* two, const std::string& path) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), SettingOptions({}));
  ExpectStatusOk(writer.Open(path));
  for (int i = 120; i < 130; ++i) {
    ExpectStatusOk(writer.Put(RocksDbKey(i), "ingested"));
  }
  ExpectStatusOk(writer.Finish());
  rocksdb::IngestExternalFileOptions move;
  move.move_files = true;
  ExpectStatusOk(
      two->db().IngestExternalFile(two->families()[0], {path}, move));
}

TEST(RebuiltRocksDbFeatures, FamiliesRangeDeletionsAndIngestedTablesStay) {
  const TempDir dir{TempDir::InMemory()};
  const TempDir other{TempDir::InMemory()};
  std::vector<std::map<std::string, std::string>> before;
  {
    TwoFamilies two(dir.path());
    WriteBothFamilies(&two);
    Ingest(&two, other.File("external.sst"));
    before = two.Contents();
  }
  EXPECT_EQ(before[0].count(RocksDbKey(110)), 0u);
  EXPECT_EQ(before[0].at(RocksDbKey(125)), "ingested");
  EXPECT_EQ(before[1].count(RocksDbKey(110)), 1u);
  const auto manifest = ReadLevelManifest(dir.path());
  ASSERT_TRUE(manifest.ok());
  EXPECT_GT(manifest->tables.size(), 6u);
  EXPECT_EQ(manifest->families.size(), 1u);
  for (const TableNumbers numbers : {TableNumbers::kNew, TableNumbers::kSame}) {
    ASSERT_NO_FATAL_FAILURE(RebuildDatabase(dir.path(), Bloom(), numbers));
    TwoFamilies two(dir.path());
    EXPECT_TRUE(two.Contents() == before);
    for (rocksdb::ColumnFamilyHandle* family : two.families()) {
      rocksdb::TablePropertiesCollection properties;
      ExpectStatusOk(two.db().GetPropertiesOfAllTables(family, &properties));
      for (const auto& [path, of] : properties) {
        const bool has_keys = of->num_entries > of->num_range_deletions;
        EXPECT_EQ(of->filter_size != 0, has_keys) << path;
      }
    }
    ExpectStatusOk(two.db().VerifyChecksum());
  }
}

// Writes a database with one table, and returns its path.
std::string WriteOneTable(const std::string& dir,
                          const rocksdb::Options& options) {
  auto db = OpenPeer(dir, options);
  if (db == nullptr) return "";
  for (int i = 0; i < 100; ++i) {
    ExpectStatusOk(db->Put({}, RocksDbKey(i), std::string(400, 'v')));
  }
  ExpectStatusOk(db->Flush({}));
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  ExpectStatusOk(db->Close());
  return files.empty() ? "" : dir + files.front().name;
}

// A comparator and a prefix extractor that nobody else knows.
class OwnOrder final : public rocksdb::Comparator {
 public:
  explicit OwnOrder(const char* name) : name_(name) {}
  const char* Name() const override { return name_; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const rocksdb::Slice& /*end*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

 private:
  const char* name_;
};

class OwnPrefix final : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "own.Prefix"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return {key.data(), 3};
  }
  bool InDomain(const rocksdb::Slice& key) const override {
    return key.size() >= 3;
  }
};

void ExpectRefusal(const rocksdb::Options& options, const std::string& why,
                   const RocksDbNewFilter& filter = Bloom()) {
  SCOPED_TRACE(why);
  const TempDir dir{TempDir::InMemory()};
  const std::string path = WriteOneTable(dir.path(), options);
  ASSERT_NE(path, "");
  const Status status = RebuildFile(path, filter).status;
  EXPECT_EQ(status.code(), StatusCode::kNotSupported);
  EXPECT_NE(status.message().find(why), std::string::npos) << status.ToString();
}

TEST(RebuiltRocksDbFeatures, WhatIsNotUnderstoodIsRefusedByName) {
  const rocksdb::Options plain = SettingOptions({});
  rocksdb::Options options = plain;
  // The name is what a table has of it.
  const OwnOrder timed("leveldb.BytewiseComparator.u64ts");
  options.comparator = &timed;
  ExpectRefusal(options, "user-defined timestamps");
  const OwnOrder order("own.Order");
  options.comparator = &order;
  ExpectRefusal(options, "comparator own.Order");
  options = plain;
  options.prefix_extractor = std::make_shared<OwnPrefix>();
  ExpectRefusal(options, "prefix extractor own.Prefix");
  ExpectRefusal(plain, "a partitioned index", Bloom(Form::kPartitioned));
}

// A lookup would not find such keys, whatever their filter says.
TEST(RebuiltRocksDbFeatures, KeysThatAreNotWhereTheIndexHasThemAreRefused) {
  std::vector<std::string> keys;
  for (int i = 0; i < 100; ++i) keys.push_back(RocksDbKey(i));
  std::string sst = WriteSst({.checksum = SstChecksum::kNone}, keys);
  const TempDir dir{TempDir::InMemory()};
  const std::string path = dir.Write("000007.sst", sst);
  EXPECT_TRUE(RebuildFile(path, Bloom()).status.ok());
  const auto table = ParseSst(sst);
  ASSERT_TRUE(table.ok());
  const std::size_t separator = table->index.offset + 2;
  ASSERT_EQ(sst[separator], 'u');
  sst[separator] = 'a';
  dir.Write("000007.sst", sst);
  const Status status = RebuildFile(path, Bloom()).status;
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_NE(status.message().find("not where the index has it"),
            std::string::npos)
      << status.ToString();
}

// Of tables that only other releases or programs write, the metaindex has
// other names.
TEST(RebuiltRocksDbFeatures, UnknownBlocksAreRefusedByName) {
  const std::vector<std::string> keys = {RocksDbKey(1)};
  const std::string sst = WriteSst({.checksum = SstChecksum::kNone}, keys);
  const std::string filter = "fullfilter.rocksdb.BuiltinBloomFilter";
  const std::size_t at = sst.rfind(filter);
  ASSERT_NE(at, std::string::npos);
  for (const auto& [name, why] : std::map<std::string, std::string>{
           {"rocksdb.user_defined_index.thirty-two",
            "user-defined index (thirty-two)"},
           {"rocksdb.something_of_a_later_release!", "which is unknown"},
           {"fullfilter.another.BuiltinBloomFilter", "custom policy"}}) {
    ASSERT_EQ(name.size(), filter.size());
    const TempDir dir{TempDir::InMemory()};
    std::string other = sst;
    other.replace(at, name.size(), name);
    const Status status =
        RebuildFile(dir.Write("000007.sst", other), Bloom()).status;
    EXPECT_EQ(status.code(), StatusCode::kNotSupported);
    EXPECT_NE(status.message().find(why), std::string::npos)
        << status.ToString();
  }
}

// Without a filter there are no prefixes to know.
TEST(RebuiltRocksDbFeatures, AnUnknownPrefixDoesNotKeepAFilter) {
  rocksdb::Options options = SettingOptions({});
  options.prefix_extractor = std::make_shared<OwnPrefix>();
  const TempDir dir{TempDir::InMemory()};
  const std::string path = WriteOneTable(dir.path(), options);
  const RebuiltFile rebuilt = RebuildFile(path, Bloom(Form::kNone));
  EXPECT_TRUE(rebuilt.status.ok()) << rebuilt.status.ToString();
}

TEST(RebuiltRocksDbFeatures, BlobFilesAreRefused) {
  rocksdb::Options options = SettingOptions({});
  options.enable_blob_files = true;
  options.min_blob_size = 100;
  const TempDir dir{TempDir::InMemory()};
  ASSERT_NE(WriteOneTable(dir.path(), options), "");
  const auto same =
      RebuildRocksDbManifest(ReadFile(ManifestPath(dir.path())), {});
  ASSERT_FALSE(same.ok());
  EXPECT_EQ(same.status().code(), StatusCode::kNotSupported);
  EXPECT_NE(same.status().message().find("blob files"), std::string::npos)
      << same.status().ToString();
}

}  // namespace
}  // namespace tamis::testing
