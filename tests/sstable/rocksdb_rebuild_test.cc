// SPDX-License-Identifier: Apache-2.0
// Tables and manifests of RocksDB 11.9 with other filters: what is read of them
// is what they had, with the new filter.  tests/peers/ lets RocksDB judge.

#include "tests/support/rocksdb_rebuild.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/crc32c.h"
#include "sstable/manifest.h"
#include "tamis/sstable.h"
#include "tests/base/temp_dir.h"
#include "tests/support/golden.h"
#include "tests/support/walked_keys.h"

namespace tamis::testing {
namespace {

namespace fs = std::filesystem;
using Form = RocksDbNewFilter::Form;

std::vector<std::string> Databases() {
  return {"bloom-snappy", "ribbonlow", "nofilter-tiny", "bloom-sep-tiny",
          "bloom-f6-prefix-crc"};
}

RocksDbNewFilter NewFilter(Form form, RocksDbKind kind, double bits) {
  RocksDbNewFilter filter;
  filter.form = form;
  filter.kind = kind;
  filter.sizing.bits_per_key = bits;
  return filter;
}

// The tables of a database, and all that is read of them.
struct ReadTables {
  std::map<std::string, SstableInfo> infos;
  std::map<std::string, WalkedKeys> walked;
};

ReadTables ReadAll(const std::string& dir) {
  ReadTables tables;
  const auto listing = FindSstables(dir);
  EXPECT_TRUE(listing.ok()) << listing.status().ToString();
  if (!listing.ok()) return tables;
  EXPECT_EQ(listing->problems, std::vector<std::string>());
  for (const FoundSstable& found : listing->sstables) {
    if (found.group == "not in the manifest") continue;
    SCOPED_TRACE(found.path);
    EXPECT_EQ(found.bytes, found.recorded_bytes);
    const auto sstable = OpenSstable(found);
    EXPECT_TRUE(sstable.ok());
    const std::string name = fs::path(found.path).filename();
    tables.infos[name] = (*sstable)->info();
    tables.walked[name] = WalkAll(**sstable);
    EXPECT_EQ(tables.walked[name].problems, std::vector<std::string>());
    EXPECT_EQ(tables.walked[name].hidden, std::vector<std::string>());
  }
  return tables;
}

// The checksum that the manifest has of each file is that of the file.
void ExpectFileChecksums(const std::string& dir) {
  const auto live = ReadLevelManifest(dir);
  const auto records = ReadRocksDbTableRecords(ReadFile(ManifestPath(dir)));
  ASSERT_TRUE(live.ok() && records.ok()) << records.status().ToString();
  for (const auto& [number, table] : live->tables) {
    const RocksDbTableRecord& record = records->at(number);
    const std::string bytes = ReadFile(TablePath(dir, number));
    EXPECT_EQ(record.bytes, bytes.size());
    if (record.tail_bytes.has_value()) {
      EXPECT_LT(*record.tail_bytes, bytes.size());
    }
    if (record.checksum.empty()) continue;
    EXPECT_EQ(ToHex(record.checksum),
              ToHex(RocksDbFileChecksum(Crc32c(bytes))));
  }
}

class RocksDbRebuild : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto corpus = CorpusPath("rocksdb-databases/" + GetParam());
    if (!corpus) GTEST_SKIP() << kNoCorpus;
    fs::copy(*corpus, dir_.path(), fs::copy_options::recursive);
  }
  TempDir dir_{TempDir::InMemory()};
};

TEST_P(RocksDbRebuild, EveryKeyIsStillThereWithTheNewFilter) {
  const ReadTables before = ReadAll(dir_.path());
  ASSERT_FALSE(before.infos.empty());
  const RocksDbNewFilter kFilters[] = {
      NewFilter(Form::kFull, RocksDbKind::kBloom, 16),
      NewFilter(Form::kFull, RocksDbKind::kRibbon, 7),
      NewFilter(Form::kNone, RocksDbKind::kBloom, 0),
      NewFilter(Form::kFull, RocksDbKind::kBloom, 5),
  };
  for (const RocksDbNewFilter& filter : kFilters) {
    SCOPED_TRACE(filter.sizing.bits_per_key);
    ASSERT_NO_FATAL_FAILURE(RebuildDatabase(dir_.path(), filter));
    ExpectFileChecksums(dir_.path());
    const ReadTables after = ReadAll(dir_.path());
    ASSERT_EQ(after.infos.size(), before.infos.size());
    for (const auto& [name, info] : after.infos) {
      SCOPED_TRACE(name);
      EXPECT_EQ(after.walked.at(name).keys, before.walked.at(name).keys);
      const SstableInfo& old = before.infos.at(name);
      EXPECT_EQ(info.level, old.level);
      EXPECT_EQ(info.entries, old.entries);
      EXPECT_EQ(info.filter.prefix_extractor.empty() ||
                    info.filter.prefix_extractor == "rocksdb.FixedPrefix.6",
                true);
      if (filter.form == Form::kNone) {
        EXPECT_EQ(info.verdict, FilterVerdict::kMissing);
        continue;
      }
      EXPECT_EQ(info.verdict, FilterVerdict::kOk);
      const std::set<std::string> kinds =
          filter.kind == RocksDbKind::kRibbon
              ? std::set<std::string>{"ribbon", "bloom"}
              : std::set<std::string>{"bloom"};
      EXPECT_TRUE(kinds.contains(info.filter.kind)) << info.filter.kind;
      if (filter.sizing.bits_per_key == 16) {
        EXPECT_LT(info.filter.rate, 0.003);
      }
      // A few keys get a whole line.
      if (filter.sizing.bits_per_key == 5 && info.entries > 1000) {
        EXPECT_GT(info.filter.rate, 0.03);
        EXPECT_LT(info.filter.rate, 0.2);
      }
    }
  }
}

TEST_P(RocksDbRebuild, WithoutAFilterAndBackItIsTheSameFile) {
  const auto live = ReadLevelManifest(dir_.path());
  ASSERT_TRUE(live.ok());
  for (const auto& [number, table] : live->tables) {
    SCOPED_TRACE(number);
    const std::string path = TablePath(dir_.path(), number);
    const RocksDbNewFilter bloom =
        NewFilter(Form::kFull, RocksDbKind::kBloom, 10);
    const RebuiltFile once = RebuildFile(path, bloom);
    ASSERT_TRUE(once.status.ok()) << once.status.ToString();
    dir_.Write("once.sst", once.bytes);
    const RebuiltFile without =
        RebuildFile(dir_.File("once.sst"), NewFilter(Form::kNone, {}, 0));
    ASSERT_TRUE(without.status.ok()) << without.status.ToString();
    EXPECT_LT(without.bytes.size(), once.bytes.size());
    dir_.Write("without.sst", without.bytes);
    const RebuiltFile again = RebuildFile(dir_.File("without.sst"), bloom);
    EXPECT_TRUE(again.bytes == once.bytes);
  }
}

// Data ends where RocksDB's manifest has the start of the tail.
TEST_P(RocksDbRebuild, TheTailIsWhatRocksDbTakesForIt) {
  const auto live = ReadLevelManifest(dir_.path());
  const auto records =
      ReadRocksDbTableRecords(ReadFile(ManifestPath(dir_.path())));
  ASSERT_TRUE(live.ok() && records.ok()) << records.status().ToString();
  for (const auto& [number, table] : live->tables) {
    const RebuiltFile rebuilt =
        RebuildFile(TablePath(dir_.path(), number),
                    NewFilter(Form::kFull, RocksDbKind::kBloom, 10));
    const RocksDbTableRecord& record = records->at(number);
    ASSERT_TRUE(record.tail_bytes.has_value());
    EXPECT_EQ(rebuilt.kept_bytes, record.bytes - *record.tail_bytes);
    EXPECT_EQ(rebuilt.record.tail_bytes,
              rebuilt.bytes.size() - rebuilt.kept_bytes);
  }
}

TEST_P(RocksDbRebuild, AManifestWithoutAChangeIsTheSame) {
  const std::string manifest = ReadFile(ManifestPath(dir_.path()));
  const auto same = RebuildRocksDbManifest(manifest, {});
  ASSERT_TRUE(same.ok()) << same.status().ToString();
  EXPECT_TRUE(*same == manifest);
}

TEST_P(RocksDbRebuild, TablesMayGetOtherNumbers) {
  const ReadTables before = ReadAll(dir_.path());
  RebuildDatabase(dir_.path(), NewFilter(Form::kFull, RocksDbKind::kBloom, 10),
                  TableNumbers::kNew);
  const ReadTables after = ReadAll(dir_.path());
  ASSERT_EQ(after.infos.size(), before.infos.size());
  std::set<std::string> keys;
  for (const auto& [name, walked] : before.walked) {
    EXPECT_FALSE(after.infos.contains(name)) << name;
    keys.insert(walked.keys.begin(), walked.keys.end());
  }
  for (const auto& [name, walked] : after.walked) {
    for (const std::string& key : walked.keys) EXPECT_TRUE(keys.contains(key));
  }
}

INSTANTIATE_TEST_SUITE_P(Databases, RocksDbRebuild,
                         ::testing::ValuesIn(Databases()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace tamis::testing
