// SPDX-License-Identifier: Apache-2.0
// Manifests of RocksDB, whole and damaged; tests/peers/ has those of running
// engines.

#include "sstable/manifest.h"

#include <string>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/crc32c.h"
#include "tests/base/temp_dir.h"
#include "tests/support/golden.h"

namespace tamis::testing {
namespace {

// One record in one piece, as the log has it.
std::string Record(const std::string& payload) {
  const std::string covered = '\x01' + payload;
  std::string record;
  AppendFixed32(&record, MaskCrc32c(Crc32c(covered)));
  record += static_cast<char>(payload.size());
  record += '\0';
  return record + covered;
}

// kNewFile of LevelDB: level, number, bytes, smallest, largest.
std::string NewFile(char level, char number) {
  return std::string("\x07") + level + number + "\x64" + "\x01" + "a" + "\x01" +
         "z";
}

TEST(LevelManifest, LaterRecordsMoveAndRemoveTables) {
  const std::string moved =
      Record(NewFile(0, 5) + NewFile(1, 6) + NewFile(1, 7)) +
      Record(std::string("\x06\x01\x06", 3) + std::string("\x06\x00\x05", 3) +
             NewFile(2, 5));
  const LevelManifest later = ParseLevelManifest(moved);
  EXPECT_EQ(later.damage, "");
  ASSERT_EQ(later.tables.size(), 2u);
  EXPECT_EQ(later.tables.at(5).level, 2);
  EXPECT_EQ(later.tables.at(5).bytes, 100u);
  EXPECT_EQ(later.tables.at(7).level, 1);
}

TEST(LevelManifest, AnUnknownTagIsNamedAndTheOtherRecordsCount) {
  const LevelManifest manifest = ParseLevelManifest(
      Record(NewFile(0, 5)) + Record(std::string("\x63") + "?") +
      Record(NewFile(3, 9)));
  EXPECT_NE(manifest.damage.find("tag 99 is unknown"), std::string::npos)
      << manifest.damage;
  EXPECT_EQ(manifest.tables.size(), 2u);
  EXPECT_EQ(manifest.tables.at(9).level, 3);
}

TEST(LevelManifest, AFlippedBitIsNoticed) {
  const auto path =
      CorpusPath("rocksdb-databases/bloom-sep-tiny/MANIFEST-000005");
  if (!path) GTEST_SKIP() << kNoCorpus;
  const std::string whole = ReadFile(*path);
  const LevelManifest right = ParseLevelManifest(whole);
  EXPECT_EQ(right.damage, "");
  EXPECT_EQ(right.tables.size(), 2u);
  // The last record may look like one that was never completed.
  const std::size_t last = whole.size() * 3 / 4;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    const LevelManifest manifest = ParseLevelManifest(damaged);
    EXPECT_TRUE(!manifest.damage.empty() || i >= last) << i;
  }
}

TEST(LevelManifest, CurrentMustNameAManifestOfTheDirectory) {
  const TempDir dir;
  EXPECT_EQ(ReadLevelManifest(dir.path()).status().code(),
            StatusCode::kNotFound);
  dir.Write("CURRENT", "MANIFEST-../../secret\n");
  EXPECT_EQ(ReadLevelManifest(dir.path()).status().code(),
            StatusCode::kCorruption);
}

}  // namespace
}  // namespace tamis::testing
