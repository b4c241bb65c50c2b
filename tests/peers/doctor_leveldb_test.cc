// SPDX-License-Identifier: Apache-2.0
// What tamis/sstable.h reads of databases that the real LevelDB wrote.

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include "base/coding.h"
#include "base/crc32c.h"
#include "table/block_file.h"
#include "table/footer.h"
#include "table/table_meta.h"
#include "tamis/env.h"
#include "tamis/sstable.h"
#include "tests/base/temp_dir.h"
#include "tests/support/walked_keys.h"

namespace tamis::testing {
namespace {

std::string LevelDbKey(int i) { return "user" + std::to_string(10000 + i); }

struct TwoLevelDb {
  TempDir dir{TempDir::InMemory()};
  std::set<std::string> keys;
  int levels = 0;  // that have a table
};

// Tables on two levels.  0 bits: no filter.
std::unique_ptr<TwoLevelDb> WriteTwoLevels(int bits,
                                           leveldb::CompressionType codec) {
  auto database = std::make_unique<TwoLevelDb>();
  const std::unique_ptr<const leveldb::FilterPolicy> policy(
      bits == 0 ? nullptr : leveldb::NewBloomFilterPolicy(bits));
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = policy.get();
  options.compression = codec;
  leveldb::DB* raw = nullptr;
  EXPECT_TRUE(leveldb::DB::Open(options, database->dir.path(), &raw).ok());
  std::unique_ptr<leveldb::DB> db(raw);
  for (int i = 0; i < 3000; ++i) {
    database->keys.insert(LevelDbKey(i));
    EXPECT_TRUE(db->Put({}, LevelDbKey(i), "value " + std::to_string(i)).ok());
  }
  db->CompactRange(nullptr, nullptr);
  for (int i = 2900; i < 3400; ++i) {
    database->keys.insert(LevelDbKey(i));
    EXPECT_TRUE(db->Put({}, LevelDbKey(i), "again " + std::to_string(i)).ok());
  }
  EXPECT_TRUE(db->Delete({}, LevelDbKey(17)).ok());
  // Opened again, what is in the log becomes a table.
  db.reset();
  EXPECT_TRUE(leveldb::DB::Open(options, database->dir.path(), &raw).ok());
  db.reset(raw);
  for (int level = 0; level < 7; ++level) {
    std::string count;
    EXPECT_TRUE(db->GetProperty(
        "leveldb.num-files-at-level" + std::to_string(level), &count));
    database->levels += count == "0" ? 0 : 1;
  }
  return database;
}

SstableListing ListingOf(const TwoLevelDb& database) {
  auto listing = FindSstables(database.dir.path());
  EXPECT_TRUE(listing.ok()) << listing.status().ToString();
  return listing.ok() ? *std::move(listing) : SstableListing();
}

TEST(DoctorLevelDb, TellsWhatWasConfiguredAndReadsEveryKey) {
  for (const int bits : {0, 5, 10, 16}) {
    for (const auto codec :
         {leveldb::kNoCompression, leveldb::kSnappyCompression}) {
      SCOPED_TRACE(bits);
      const auto database = WriteTwoLevels(bits, codec);
      const SstableListing listing = ListingOf(*database);
      EXPECT_TRUE(listing.problems.empty());
      std::set<std::string> read;
      std::set<int> levels;
      for (const FoundSstable& found : listing.sstables) {
        const auto sstable = OpenSstable(found);
        ASSERT_TRUE(sstable.ok());
        const SstableInfo& info = (*sstable)->info();
        EXPECT_EQ(info.engine, "leveldb");
        EXPECT_EQ(info.comparator, "leveldb.BytewiseComparator");
        EXPECT_EQ(found.bytes, found.recorded_bytes);
        const WalkedKeys walked = WalkAll(**sstable);
        EXPECT_EQ(walked.problems, std::vector<std::string>());
        EXPECT_EQ(walked.hidden, std::vector<std::string>());
        read.insert(walked.keys.begin(), walked.keys.end());
        levels.insert(info.level);
        if (bits == 0) {
          EXPECT_EQ(info.verdict, FilterVerdict::kMissing);
          continue;
        }
        EXPECT_EQ(info.verdict, FilterVerdict::kOk);
        EXPECT_EQ(info.filter.probes, static_cast<unsigned>(0.69 * bits));
        const auto keys = static_cast<double>(walked.keys.size());
        EXPECT_NEAR(static_cast<double>(info.filter.bits) / keys, bits, 0.5);
        EXPECT_NEAR(info.filter.keys / keys, 1, 0.1);
      }
      EXPECT_EQ(read, database->keys);
      EXPECT_EQ(levels.size(), static_cast<std::size_t>(database->levels));
      EXPECT_GE(levels.size(), 2u);
      EXPECT_FALSE(levels.contains(-1));
    }
  }
}

BlockHandle FilterPlace(const std::string& path) {
  const auto file = DefaultEnv().OpenReadable(path, false);
  const auto footer = ReadFooter(**file);
  std::vector<MetaEntry> entries;
  EXPECT_TRUE(ReadMetaindex(**file, *footer, &entries).ok());
  for (const MetaEntry& entry : entries) {
    if (entry.name == kLevelDbFilterMeta) return entry.handle;
  }
  ADD_FAILURE() << "no filter";
  return {};
}

TEST(DoctorLevelDb, AClearedBitHidesAKeyThatIsNamed) {
  const auto database = WriteTwoLevels(10, leveldb::kSnappyCompression);
  const SstableListing listing = ListingOf(*database);
  const FoundSstable& found = listing.sstables.back();
  const std::string name =
      std::filesystem::path(found.path).filename().string();
  std::string table = database->dir.Read(name);
  const BlockHandle place = FilterPlace(found.path);
  std::size_t at = static_cast<std::size_t>(place.offset);
  while (table[at] == 0) ++at;
  table[at] = static_cast<char>(ByteAt(table, at) & (ByteAt(table, at) - 1));

  // With its old checksum, the filter is damaged, and not used.
  database->dir.Write(name, table);
  EXPECT_EQ((*OpenSstable(found))->info().verdict, FilterVerdict::kDamaged);
  EXPECT_EQ(WalkAll(found).hidden, std::vector<std::string>());

  // With a right one, only the keys tell.
  const std::size_t size = static_cast<std::size_t>(place.size) + 1;
  StoreLittle(&table[place.offset + size],
              MaskCrc32c(Crc32c(Slice(table).substr(place.offset, size))));
  database->dir.Write(name, table);
  EXPECT_EQ((*OpenSstable(found))->info().verdict, FilterVerdict::kOk);
  const WalkedKeys walked = WalkAll(found);
  ASSERT_FALSE(walked.hidden.empty());
  EXPECT_TRUE(database->keys.contains(walked.hidden.front()));
}

TEST(DoctorLevelDb, ADamagedBlockIsNamedAndTheOthersAreRead) {
  const auto database = WriteTwoLevels(10, leveldb::kNoCompression);
  const SstableListing listing = ListingOf(*database);
  const FoundSstable& found = listing.sstables.back();
  const std::string name =
      std::filesystem::path(found.path).filename().string();
  const std::size_t all = WalkAll(found).keys.size();
  std::string table = database->dir.Read(name);
  table[100] = static_cast<char>(table[100] ^ 1);
  database->dir.Write(name, table);
  const WalkedKeys walked = WalkAll(found);
  EXPECT_EQ(walked.hidden, std::vector<std::string>());
  ASSERT_EQ(walked.problems.size(), 1u);
  EXPECT_NE(walked.problems[0].find(found.path + ": offset 0: "),
            std::string::npos)
      << walked.problems[0];
  EXPECT_GT(walked.keys.size(), all / 2);
  EXPECT_LT(walked.keys.size(), all);
}

TEST(DoctorLevelDb, ATableThatIsNotThereIsNamed) {
  const auto database = WriteTwoLevels(10, leveldb::kNoCompression);
  const SstableListing before = ListingOf(*database);
  std::filesystem::remove(before.sstables.front().path);
  const SstableListing listing = ListingOf(*database);
  EXPECT_EQ(listing.sstables.size() + 1, before.sstables.size());
  ASSERT_EQ(listing.problems.size(), 1u);
  EXPECT_NE(listing.problems[0].find("is in the manifest, and not in the "
                                     "directory"),
            std::string::npos);
}

}  // namespace
}  // namespace tamis::testing
