// SPDX-License-Identifier: Apache-2.0
// Files of the corpus, which the real engines wrote: what is read of them is
// what their manifests say, every key is read, and none is hidden.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tamis/sstable.h"
#include "tests/support/golden.h"
#include "tests/support/walked_keys.h"

namespace tamis::testing {
namespace {

namespace fs = std::filesystem;

// Lines of a file, which are hexadecimal digits or the keys themselves.
std::set<std::string> ListedKeys(const fs::path& path, bool is_hex = true) {
  std::set<std::string> keys;
  const std::string text = ReadFile(path);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    keys.insert(is_hex ? FromHex(line) : line);
    at = end + 1;
  }
  return keys;
}

std::set<std::string> SetOf(const std::vector<std::string>& keys) {
  return {keys.begin(), keys.end()};
}

std::string KindOf(const std::string& kind) {
  return kind == "ribbon" ? "ribbon" : "bloom";
}

TEST(SstableCorpus, RocksDbTablesAreAsTheirManifestSays) {
  const auto corpus = CorpusPath("rocksdb");
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  const auto manifest =
      nlohmann::json::parse(ReadFile(*corpus / "manifest.json"));
  for (const nlohmann::json& entry : manifest) {
    const fs::path path = *corpus / entry.at("file").get<std::string>();
    SCOPED_TRACE(path);
    const auto listing = FindSstables(path.string());
    ASSERT_TRUE(listing.ok()) << listing.status().ToString();
    ASSERT_EQ(listing->sstables.size(), 1u);
    const auto sstable = OpenSstable(listing->sstables.front());
    ASSERT_TRUE(sstable.ok());
    const SstableInfo& info = (*sstable)->info();
    const nlohmann::json& filters = entry.at("filters");
    EXPECT_EQ(info.version,
              std::to_string(entry.at("format_version").get<int>()));
    EXPECT_EQ(info.entries, entry.at("table_entries"));
    EXPECT_EQ(info.filter.parts, filters.size());
    EXPECT_EQ(info.filter.is_partitioned,
              entry.at("filter_layout") == "partitioned");
    EXPECT_EQ(info.filter.has_whole_keys, entry.at("whole_key_filtering"));
    EXPECT_EQ(info.filter.prefix_extractor.empty(),
              entry.at("fixed_prefix_length") == 0);
    std::uint64_t bytes = 0;
    double inserted = 0;
    std::set<std::string> kinds;
    for (const nlohmann::json& filter : filters) {
      bytes += filter.at("size").get<std::uint64_t>();
      inserted += filter.at("entries_inserted").get<double>();
      kinds.insert(KindOf(filter.at("kind")));
    }
    EXPECT_EQ(info.filter.bytes, bytes);
    EXPECT_EQ(info.filter.keys, inserted);
    EXPECT_EQ(info.filter.kind, kinds.size() > 1 ? "mixed" : *kinds.begin());
    EXPECT_TRUE(info.verdict == FilterVerdict::kOk ||
                info.verdict == FilterVerdict::kLegacyHash)
        << NameOfVerdict(info.verdict);
    EXPECT_EQ(info.verdict == FilterVerdict::kLegacyHash,
              filters[0].at("kind") == "legacy");

    const WalkedKeys walked = WalkAll(**sstable);
    EXPECT_EQ(walked.problems, std::vector<std::string>());
    EXPECT_EQ(walked.hidden, std::vector<std::string>());
    EXPECT_EQ(SetOf(walked.keys),
              ListedKeys(fs::path(path).replace_extension(".keys")));

    // The same probes, so the same false positives.
    int passed = 0;
    for (int i = 0; i < 8000; ++i) {
      passed += (*sstable)->MayContain("absent-" + std::to_string(i)) ? 1 : 0;
    }
    if (info.filter.has_whole_keys) {
      EXPECT_EQ(passed, entry.at("false_positives_of_absent_0_7999"));
    }
  }
}

TEST(SstableCorpus, LevelDbTablesAreAsTheirManifestSays) {
  const auto corpus = CorpusPath("leveldb");
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  const auto manifest =
      nlohmann::json::parse(ReadFile(*corpus / "manifest.json"));
  for (const nlohmann::json& entry : manifest) {
    const fs::path path = *corpus / entry.at("file").get<std::string>();
    SCOPED_TRACE(path);
    const auto listing = FindSstables(path.string());
    ASSERT_TRUE(listing.ok()) << listing.status().ToString();
    ASSERT_EQ(listing->sstables.size(), 1u);
    const auto sstable = OpenSstable(listing->sstables.front());
    ASSERT_TRUE(sstable.ok());
    const SstableInfo& info = (*sstable)->info();
    // LevelDB sizes a filter for every version of a key.
    EXPECT_EQ(info.verdict, entry.at("file") == "l10-dup.ldb"
                                ? FilterVerdict::kOversized
                                : FilterVerdict::kOk);
    EXPECT_EQ(info.filter.kind, "classic");
    EXPECT_EQ(info.filter.probes, entry.at("k"));
    const WalkedKeys walked = WalkAll(**sstable);
    EXPECT_EQ(walked.walk.blocks, entry.at("data_blocks").size());
    EXPECT_EQ(walked.keys.size(), entry.at("table_entries"));
    EXPECT_EQ(walked.problems, std::vector<std::string>());
    EXPECT_EQ(walked.hidden, std::vector<std::string>());
    EXPECT_EQ(SetOf(walked.keys),
              ListedKeys(fs::path(path).replace_extension(".keys")));
  }
}

TEST(SstableCorpus, RocksDbDatabasesHaveEveryKeyThatTheyShould) {
  const auto corpus = CorpusPath("rocksdb-databases");
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  int databases = 0;
  for (const auto& entry : fs::directory_iterator(*corpus)) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path());
    ++databases;
    const std::string name = entry.path().filename();
    const auto listing = FindSstables(entry.path());
    ASSERT_TRUE(listing.ok());
    EXPECT_EQ(listing->problems, std::vector<std::string>());
    std::set<std::string> read;
    for (const FoundSstable& found : listing->sstables) {
      SCOPED_TRACE(found.path);
      EXPECT_GE(found.level, 0);
      EXPECT_EQ(found.recorded_bytes, found.bytes);
      const auto sstable = OpenSstable(found);
      ASSERT_TRUE(sstable.ok());
      const SstableInfo& info = (*sstable)->info();
      EXPECT_EQ(info.version, name == "bloom-f6-prefix-crc" ? "6" : "7");
      if (name == "nofilter-tiny") {
        EXPECT_EQ(info.verdict, FilterVerdict::kMissing);
      } else {
        EXPECT_EQ(info.verdict, FilterVerdict::kOk);
        EXPECT_EQ(info.filter.kind, name == "ribbonlow" && found.level > 0 &&
                                            info.filter.kind != "bloom"
                                        ? "ribbon"
                                        : "bloom");
        // In one of 11.9, `optimize_filters_for_memory` rounds sizes.
        EXPECT_LT(info.filter.rate, 0.03);
      }
      const WalkedKeys walked = WalkAll(**sstable);
      EXPECT_EQ(walked.keys.size(), info.entries);
      EXPECT_EQ(walked.problems, std::vector<std::string>());
      EXPECT_EQ(walked.hidden, std::vector<std::string>());
      read.insert(walked.keys.begin(), walked.keys.end());
    }
    for (const std::string& key :
         ListedKeys(entry.path().string() + ".keys", false)) {
      EXPECT_TRUE(read.contains(key)) << key;
    }
  }
  EXPECT_EQ(databases, 5);
}

}  // namespace
}  // namespace tamis::testing
