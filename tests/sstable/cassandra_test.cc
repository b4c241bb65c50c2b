// SPDX-License-Identifier: Apache-2.0
// Sstables of Cassandra: real filters beside components that are written here
// by docs/formats/cassandra.md, since the corpus has the filters only.

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/coding.h"
#include "tamis/filter.h"
#include "tamis/sstable.h"
#include "tests/base/temp_dir.h"
#include "tests/support/cassandra_files.h"
#include "tests/support/golden.h"
#include "tests/support/walked_keys.h"

namespace tamis::testing {
namespace {

namespace fs = std::filesystem;

SstableListing ListingOf(const std::string& path) {
  auto listing = FindSstables(path);
  EXPECT_TRUE(listing.ok()) << listing.status().ToString();
  return listing.ok() ? *std::move(listing) : SstableListing();
}

TEST(CassandraCorpus, EveryFilterHasAllKeysOfAnIndexAroundIt) {
  const auto corpus = CorpusPath("cassandra");
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  const auto manifest =
      nlohmann::json::parse(ReadFile(*corpus / "manifest.json"));
  int sstables = 0;
  for (const nlohmann::json& entry : manifest) {
    const std::string file = entry.at("file");
    const std::string version = entry.at("sstable_version");
    SCOPED_TRACE(file);
    const TempDir dir;
    const fs::path table = fs::path(dir.path()) / "shop" / "orders-0a1b";
    fs::create_directories(table);
    const std::string in_dir = "shop/orders-0a1b/" + StemOf(version);
    const std::vector<std::string> keys =
        KeysOf(*corpus / (file.substr(0, file.size() - 10) + ".keys"));
    dir.Write(in_dir + "Filter.db", ReadFile(*corpus / file));
    dir.Write(in_dir + "Index.db", IndexOf(version, keys));
    dir.Write(in_dir + "Data.db", "data");
    dir.Write(in_dir + "Statistics.db",
              StatisticsOf(!IsBefore(version, "na"), 0.01));
    const SstableListing listing = ListingOf(dir.path());
    ASSERT_EQ(listing.sstables.size(), 1u);
    EXPECT_EQ(listing.sstables[0].engine, "cassandra");
    EXPECT_EQ(listing.sstables[0].group, "shop.orders");
    const auto sstable = OpenSstable(listing.sstables[0]);
    ASSERT_TRUE(sstable.ok());
    const SstableInfo& info = (*sstable)->info();
    EXPECT_EQ(info.version, version);
    EXPECT_EQ(info.filter.probes, entry.at("k"));
    EXPECT_EQ(info.filter.bits, 64 * entry.at("words").get<std::uint64_t>());
    if (!IsBefore(version, "ka")) {
      ASSERT_TRUE(info.filter.target_rate.has_value());
      EXPECT_EQ(*info.filter.target_rate, 0.01);
    }
    const WalkedKeys walked = WalkAll(**sstable);
    EXPECT_EQ(walked.problems, std::vector<std::string>());
    EXPECT_EQ(walked.hidden, std::vector<std::string>());
    EXPECT_EQ(walked.keys, keys);
    EXPECT_EQ((*sstable)->Find(keys.back()).value().kind, StoredKind::kEntry);
    EXPECT_EQ((*sstable)->Find("of no sstable").value().kind,
              StoredKind::kNothing);
    ++sstables;
  }
  EXPECT_EQ(sstables, 14);
}

TEST(CassandraSstable, AClearedBitHidesAKeyThatIsNamed) {
  for (const std::string version : {"hf", "jb", "me", "nb", "oa"}) {
    SCOPED_TRACE(version);
    const TempDir dir;
    const std::vector<std::string> keys = NumberedKeys(1000);
    std::string filter = FilterOf(version, keys);
    std::size_t at = 40;
    while (filter[at] == 0) ++at;
    filter[at] =
        static_cast<char>(ByteAt(filter, at) & (ByteAt(filter, at) - 1));
    dir.Write(StemOf(version) + "Filter.db", filter);
    dir.Write(StemOf(version) + "Index.db", IndexOf(version, keys));
    const SstableListing listing = ListingOf(dir.path());
    ASSERT_EQ(listing.sstables.size(), 1u);
    const WalkedKeys walked = WalkAll(listing.sstables[0]);
    EXPECT_EQ(walked.keys, keys);
    ASSERT_FALSE(walked.hidden.empty());
    EXPECT_LT(walked.hidden.size(), 30u);
    EXPECT_TRUE(walked.hidden.front().starts_with("key"));
  }
}

TEST(CassandraSstable, ATruncatedIndexNamesTheOffsetAndKeepsWhatCameBefore) {
  const TempDir dir;
  const std::vector<std::string> keys = NumberedKeys(1000);
  const std::string index = IndexOf("nb", keys);
  dir.Write("nb-1-big-Filter.db", FilterOf("nb", keys));
  dir.Write("nb-1-big-Index.db", index.substr(0, index.size() - 3));
  const WalkedKeys walked = WalkAll(ListingOf(dir.path()).sstables.at(0));
  EXPECT_EQ(walked.keys.size(), 999u);
  EXPECT_EQ(walked.hidden, std::vector<std::string>());
  ASSERT_EQ(walked.problems.size(), 1u);
  EXPECT_NE(walked.problems[0].find("nb-1-big-Index.db: offset "),
            std::string::npos)
      << walked.problems[0];
}

TEST(CassandraSstable, VerdictsAreWhatTheFilesAre) {
  const TempDir dir;
  const std::vector<std::string> keys = NumberedKeys(2000);
  const std::vector<std::string> few = NumberedKeys(200);
  const auto write = [&](const std::string& number, const std::string& filter) {
    dir.Write("nb-" + number + "-big-Index.db", IndexOf("nb", keys));
    dir.Write("nb-" + number + "-big-Statistics.db", StatisticsOf(true, 0.01));
    if (filter != "none") {
      dir.Write("nb-" + number + "-big-Filter.db", filter);
    }
  };
  write("1", FilterOf("nb", keys));
  write("2", "none");
  write("3", "");
  write("4", FilterOf("nb", keys).substr(0, 100));
  std::string small = FilterOf("nb", few);
  write("5", small);
  dir.Write("hf-6-Filter.db", "");
  dir.Write("ks-tab-hf-6-Filter.db", FilterOf("hf", keys));
  dir.Write("ks-tab-hf-6-Index.db", IndexOf("hf", keys));
  dir.Write("zz-7-big-Filter.db", "not known");
  std::vector<std::string> verdicts;
  for (const FoundSstable& found : ListingOf(dir.path()).sstables) {
    const auto sstable = OpenSstable(found);
    ASSERT_TRUE(sstable.ok());
    verdicts.push_back(fs::path(found.path).filename().string() + " " +
                       std::string(NameOfVerdict((*sstable)->info().verdict)));
  }
  std::sort(verdicts.begin(), verdicts.end());
  EXPECT_EQ(verdicts, (std::vector<std::string>{
                          "ks-tab-hf-6-Filter.db legacy-hash",
                          "nb-1-big-Filter.db ok",
                          "nb-2-big-Filter.db missing",
                          "nb-3-big-Filter.db missing",
                          "nb-4-big-Filter.db damaged",
                          "nb-5-big-Filter.db ok",
                          "zz-7-big-Filter.db unreadable",
                      }));
}

// A trie of single bytes: leaves first, then a root of the given kind.
struct BtiTable {
  std::string partitions;
  std::string rows;
  std::string data;
  std::vector<std::string> keys;
};

BtiTable BtiOf(int count, bool is_dense) {
  BtiTable table;
  std::vector<std::size_t> leaves;
  for (int i = 0; i < count; ++i) {
    const std::string key = "partition " + std::to_string(i);
    table.keys.push_back(key);
    const bool in_rows = i % 3 == 0;
    std::string* const file = in_rows ? &table.rows : &table.data;
    const auto place = static_cast<std::int16_t>(file->size());
    *file += Sized(key) + "content";
    leaves.push_back(table.partitions.size());
    // With a byte of hash, or without.
    if (i % 2 == 0) {
      table.partitions += '\x09';
      table.partitions += '\x5a';
    } else {
      table.partitions += '\x02';
    }
    table.partitions +=
        Big(static_cast<std::uint16_t>(in_rows ? place : ~place));
  }
  const std::size_t root = table.partitions.size();
  const auto kids = static_cast<char>(is_dense ? count - 1 : count);
  table.partitions += is_dense ? '\xb0' : '\x70';  // 16 bits each
  if (is_dense) table.partitions += 'a';
  table.partitions += kids;
  for (int i = 0; i < count && !is_dense; ++i) {
    table.partitions += static_cast<char>('a' + i);
  }
  for (const std::size_t leaf : leaves) {
    table.partitions += Big(static_cast<std::uint16_t>(root - leaf));
  }
  table.partitions += Big(std::uint64_t{0});
  table.partitions += Big(static_cast<std::uint64_t>(count));
  table.partitions += Big(static_cast<std::uint64_t>(root));
  return table;
}

void WriteBti(const TempDir& dir, const BtiTable& table) {
  dir.Write("da-2-bti-Filter.db", FilterOf("da", table.keys));
  dir.Write("da-2-bti-Partitions.db", table.partitions);
  dir.Write("da-2-bti-Rows.db", table.rows);
  dir.Write("da-2-bti-Data.db", table.data);
}

TEST(CassandraSstable, KeysOfATrieAreReadFromRowsAndData) {
  for (const bool is_dense : {false, true}) {
    const TempDir dir;
    const BtiTable table = BtiOf(20, is_dense);
    WriteBti(dir, table);
    const SstableListing listing = ListingOf(dir.path());
    ASSERT_EQ(listing.sstables.size(), 1u);
    EXPECT_EQ((*OpenSstable(listing.sstables[0]))->info().entries, 20u);
    const WalkedKeys walked = WalkAll(listing.sstables[0]);
    EXPECT_EQ(walked.keys, table.keys);
    EXPECT_EQ(walked.problems, std::vector<std::string>());
    EXPECT_EQ(walked.hidden, std::vector<std::string>());
  }
}

TEST(CassandraSstable, KeysAreReadThroughChunksOfCompressedData) {
  const TempDir dir;
  const BtiTable table = BtiOf(20, true);
  WriteBti(dir, table);
  // Chunks of 16 bytes, each stored as it is, because it is long enough.
  constexpr std::uint32_t kChunk = 16;
  std::string stored;
  std::string offsets;
  std::uint32_t chunks = 0;
  for (std::size_t at = 0; at < table.data.size(); at += kChunk) {
    offsets += Big(static_cast<std::uint64_t>(stored.size()));
    const std::string chunk = table.data.substr(at, kChunk);
    std::uint32_t crc = 0xffffffff;
    for (const char c : chunk) {
      crc ^= static_cast<unsigned char>(c);
      for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    stored += chunk + Big(~crc);
    ++chunks;
  }
  const std::string info =
      Sized("org.apache.cassandra.io.compress.LZ4Compressor") +
      Big(std::uint32_t{0}) + Big(kChunk) + Big(std::uint32_t{1}) +
      Big(static_cast<std::uint64_t>(table.data.size())) + Big(chunks) +
      offsets;
  dir.Write("da-2-bti-Data.db", stored);
  dir.Write("da-2-bti-CompressionInfo.db", info);
  const SstableListing listing = ListingOf(dir.path());
  EXPECT_EQ((*OpenSstable(listing.sstables[0]))->info().compression,
            "LZ4Compressor");
  const WalkedKeys walked = WalkAll(listing.sstables[0]);
  EXPECT_EQ(walked.keys, table.keys);
  EXPECT_EQ(walked.problems, std::vector<std::string>());

  // A flipped bit costs the keys of its chunk, and no others.
  stored[25] = static_cast<char>(stored[25] ^ 1);
  dir.Write("da-2-bti-Data.db", stored);
  const WalkedKeys damaged = WalkAll(listing.sstables[0]);
  EXPECT_FALSE(damaged.problems.empty());
  EXPECT_GE(damaged.keys.size(), 16u);
  EXPECT_NE(damaged.problems[0].find("checksum"), std::string::npos);
}

}  // namespace
}  // namespace tamis::testing
