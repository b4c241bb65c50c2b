// SPDX-License-Identifier: Apache-2.0
// What RocksDB's half of a rebuild gives the transaction: tables, a manifest,
// and refusals that name their reason.

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "formats/rocksdb/filter.h"
#include "sstable/engine.h"
#include "sstable/level_rebuild.h"
#include "sstable/manifest.h"
#include "sstable/manifest_tags.h"
#include "sstable/rocksdb/filter_maker.h"
#include "sstable/rocksdb/rebuild_manifest.h"
#include "store/log_writer.h"
#include "tests/support/golden.h"
#include "tests/support/memory_env.h"
#include "tests/support/walked_keys.h"

namespace tamis::testing {
namespace {

constexpr char kDir[] = "/db";

std::string ManifestOf(const std::vector<std::string>& records) {
  MemoryEnv env;
  {
    LogWriter writer(*env.Create("m", WriteKind::kTable));
    for (const std::string& record : records) {
      EXPECT_TRUE(writer.Add(record).ok());
    }
    EXPECT_TRUE(writer.Close().ok());
  }
  return env.Contents("m");
}

// kNewFile4 of table 7 on level 1, with these fields.
std::string NewFile4(const std::string& fields) {
  std::string record;
  for (const std::uint32_t part : {kNewFile4Tag, 1u, 7u, 100u}) {
    AppendVarint32(&record, part);
  }
  AppendLengthPrefixed(&record, "a12345678");
  AppendLengthPrefixed(&record, "z12345678");
  record += "\x01\x02";  // sequence numbers
  record += fields;
  AppendVarint32(&record, kLastFieldTag);
  return record;
}

std::string Field(std::uint32_t tag, Slice value) {
  std::string field;
  AppendVarint32(&field, tag);
  AppendLengthPrefixed(&field, value);
  return field;
}

void Put(MemoryEnv* env, const std::string& name, const std::string& bytes) {
  env->SetContents(std::string(kDir) + "/" + name, bytes);
}

Status CheckWith(const std::string& manifest, const RebuildChoice& choice) {
  MemoryEnv env;
  EXPECT_TRUE(env.CreateDirectory(kDir).ok());
  Put(&env, "CURRENT", "MANIFEST-000005\n");
  Put(&env, "MANIFEST-000005", manifest);
  return NewRocksDbRebuilder()->CheckDatabase(env, kDir, choice);
}

void ExpectRefusal(const std::string& record, const std::string& why) {
  const Status status = CheckWith(ManifestOf({record}), {});
  EXPECT_EQ(status.code(), StatusCode::kNotSupported) << why;
  EXPECT_NE(status.message().find(why), std::string::npos) << status.ToString();
}

TEST(RocksDbRebuilder, NamesWhatItDoesNotUnderstandOfADatabase) {
  EXPECT_TRUE(CheckWith(ManifestOf({NewFile4("")}), {}).ok());
  const std::string known = Field(8, "FileChecksumCrc32c");
  const std::string skippable = Field(163, "later");
  const Status checked =
      CheckWith(ManifestOf({NewFile4(known + skippable)}), {});
  EXPECT_TRUE(checked.ok()) << checked.ToString();
  ExpectRefusal(NewFile4(Field(4, "\x09")), "blob files");
  ExpectRefusal(std::string("\x90\x03") + std::string(8, '\0'), "blob files");
  ExpectRefusal(NewFile4(Field(10, "time")), "user-defined timestamps");
  ExpectRefusal(NewFile4(Field(64 | 2, "?")), "field 66 of table 7 is unknown");
  ExpectRefusal(NewFile4(Field(kPathIdField, "\x01")), "db_paths 1");
  ExpectRefusal(NewFile4(Field(7, "sum") + Field(8, "own.Sum")), "own.Sum");
  ExpectRefusal(NewFile4("") + "\x63", "tag 99 is unknown");
}

TEST(RocksDbRebuilder, RefusesFiltersThatRocksDbDoesNotHave) {
  RebuildChoice choice;
  choice.kind = "cuckoo";
  const std::string manifest = ManifestOf({NewFile4("")});
  EXPECT_EQ(CheckWith(manifest, choice).code(), StatusCode::kInvalidArgument);
  choice.kind = "ribbon";
  EXPECT_TRUE(CheckWith(manifest, choice).ok());
  choice.bits_per_key = 0.1;
  EXPECT_EQ(CheckWith(manifest, choice).code(), StatusCode::kInvalidArgument);
}

TEST(RocksDbRebuilder, AManifestThatIsNotWholeIsRefused) {
  const std::string group = std::string("\xac\x02\x01", 3);  // one more follows
  EXPECT_EQ(CheckWith(ManifestOf({group + NewFile4("")}), {}).code(),
            StatusCode::kCorruption);
  const std::string whole = ManifestOf({NewFile4("")});
  EXPECT_EQ(CheckWith(whole.substr(0, whole.size() - 1), {}).code(),
            StatusCode::kCorruption);
  EXPECT_EQ(CheckWith(whole + std::string(20, '\0'), {}).code(),
            StatusCode::kCorruption);
}

TEST(RocksDbRebuilder, ACopyChangesItsNumberAlone) {
  const std::string fields = Field(7, "1234") + Field(8, "FileChecksumCrc32c") +
                             Field(15, "\x20") + Field(17, "opened");
  std::string removal;
  for (const std::uint32_t part : {kDeletedFileTag, 1u, 7u}) {
    AppendVarint32(&removal, part);
  }
  const std::string old = ManifestOf({NewFile4(fields), removal});
  NewManifestPlan plan;
  plan.next_file_number = 30;
  NewTable table;
  table.old_number = 7;
  table.number = 21;
  table.is_copy = true;
  plan.tables = {table};
  const auto rebuilder = NewRocksDbRebuilder();
  const auto copied = rebuilder->NewManifest(old, plan);
  ASSERT_TRUE(copied.ok()) << copied.status().ToString();
  EXPECT_TRUE(ParseLevelManifest(*copied).tables.empty());
  RocksDbTableRecord record = (*ReadRocksDbTableRecords(*copied)).at(21);
  EXPECT_EQ(record.bytes, 100u);
  EXPECT_EQ(record.checksum, "1234");
  EXPECT_EQ(record.tail_bytes, 32u);
  EXPECT_NE(copied->find("opened"), std::string::npos);

  plan.tables[0].is_copy = false;
  plan.tables[0].bytes = 444;
  plan.tables[0].tail_bytes = 55;
  plan.tables[0].crc32c = 0x01020304;
  const auto mended = rebuilder->NewManifest(old, plan);
  ASSERT_TRUE(mended.ok()) << mended.status().ToString();
  record = (*ReadRocksDbTableRecords(*mended)).at(21);
  EXPECT_EQ(record.bytes, 444u);
  EXPECT_EQ(record.checksum, "\x01\x02\x03\x04");
  EXPECT_EQ(record.checksum_function, "FileChecksumCrc32c");
  EXPECT_EQ(record.tail_bytes, 55u);
  EXPECT_EQ(mended->find("opened"), std::string::npos);

  plan.tables[0].old_number = 8;
  EXPECT_EQ(rebuilder->NewManifest(old, plan).status().code(),
            StatusCode::kNotFound);
}

TEST(RocksDbRebuilder, WritesATableOfTheKindThatItHad) {
  const auto corpus = CorpusPath("rocksdb-databases/ribbonlow/000069.sst");
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  MemoryEnv env;
  ASSERT_TRUE(env.CreateDirectory(kDir).ok());
  Put(&env, "000069.sst", ReadFile(*corpus));
  const FoundSstable found{.path = std::string(kDir) + "/000069.sst",
                           .engine = "rocksdb"};
  const auto old = OpenSstableIn(env, found);
  ASSERT_TRUE(old.ok());
  const auto rebuilder = NewRocksDbRebuilder();
  EXPECT_EQ(rebuilder->TableName(71), "000071.sst");
  for (const char* const kind : {"", "bloom", "ribbon"}) {
    SCOPED_TRACE(kind);
    RebuildChoice choice;
    choice.kind = kind;
    choice.rate = 0.001;
    ASSERT_TRUE(rebuilder->CheckTable(env, found, choice).ok());
    FoundSstable made = found;
    made.path = std::string(kDir) + "/000071.sst";
    NewTable table;
    const Status written = rebuilder->WriteTable({.env = env,
                                                  .found = found,
                                                  .info = (*old)->info(),
                                                  .choice = choice,
                                                  .new_path = made.path},
                                                 &table);
    ASSERT_TRUE(written.ok()) << written.ToString();
    EXPECT_EQ(table.bytes, env.Contents(made.path).size());
    const auto sstable = OpenSstableIn(env, made);
    ASSERT_TRUE(sstable.ok());
    const SstableInfo& info = (*sstable)->info();
    EXPECT_EQ(info.filter.kind,
              *kind == '\0' ? (*old)->info().filter.kind : kind);
    EXPECT_NEAR(info.filter.rate, 0.001, 0.0005);
    const WalkedKeys walked = WalkAll(**sstable);
    EXPECT_EQ(walked.hidden.size() + walked.problems.size(), 0u);
    EXPECT_EQ(walked.keys, WalkAll(**old).keys);
    EXPECT_TRUE(env.Remove(made.path).ok());
  }
}

// A search for a prefix may start between two partitions.
TEST(RocksDbRebuilder, APrefixIsInThePartitionsOnBothSidesOfABoundary) {
  BloomSizing sizing;
  sizing.bits_per_key = 20;
  const auto policy = NewRocksDbPolicy(RocksDbKind::kBloom, sizing);
  ASSERT_TRUE(policy.ok());
  RocksDbFilterMaker maker(**policy, {.has_whole_keys = false,
                                      .prefix = RocksDbPrefix{.bytes = 2},
                                      .partition_bytes = 1});
  const std::vector<Slice> blocks[] = {{"aa1", "aa2"}, {"cc1"}, {"ee1"}};
  for (const auto& keys : blocks) {
    ASSERT_TRUE(maker.AddBlock(keys, std::string(keys.back()) + "+").ok());
  }
  std::vector<RocksDbFilterMaker::Part> parts;
  ASSERT_TRUE(maker.Finish(&parts).ok());
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].separator, "aa2+");
  EXPECT_EQ(parts[2].separator, "ee1+");
  EXPECT_EQ(maker.entries(), 2u + 3u + 2u);
  const std::string expected[] = {"aa cc", "aa cc ee", "cc ee"};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto reader = OpenRocksDbFilter(parts[i].bytes);
    ASSERT_TRUE(reader.ok());
    for (const char* const prefix : {"aa", "cc", "ee", "zz"}) {
      EXPECT_EQ((*reader)->MayContain(prefix),
                expected[i].find(prefix) != std::string::npos)
          << i << " " << prefix;
    }
  }
}

}  // namespace
}  // namespace tamis::testing
