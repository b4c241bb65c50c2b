// SPDX-License-Identifier: Apache-2.0
// The tables of tests/golden/rocksdb, which RocksDB 7.8.3 and 9.10.0 wrote,
// and every figure that their manifest gives.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/coding.h"
#include "tests/peers/rocksdb_bits.h"
#include "tests/peers/rocksdb_entries.h"
#include "tests/peers/rocksdb_keys.h"
#include "tests/peers/rocksdb_sst.h"
#include "tests/peers/rocksdb_tables.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis::testing {
namespace {

// Files too large for the repository are only in the corpus.
std::optional<std::string> ReadGolden(const std::string& name) {
  const auto ours = std::filesystem::path(TAMIS_SOURCE_DIR) / "tests" /
                    "golden" / "rocksdb" / name;
  if (std::filesystem::exists(ours)) return ReadFile(ours);
  const auto corpus = CorpusPath("rocksdb/" + name);
  if (corpus) return ReadFile(*corpus);
  return std::nullopt;
}

std::string PolicyOfManifest(const nlohmann::json& parameters) {
  const std::string bits = parameters.at("bits_per_key").dump();
  return PolicyTextOf(parameters.at("policy") == "ribbon",
                      parameters.at("format_version").get<int>(), bits);
}

SstChecksum ChecksumOfManifest(const nlohmann::json& parameters) {
  const auto name = parameters.at("checksum").get<std::string>();
  if (name == "crc") return SstChecksum::kCrc32c;
  if (name == "xxh") return SstChecksum::kXxh32;
  if (name == "xxh64") return SstChecksum::kXxh64;
  return name == "xxh3" ? SstChecksum::kXxh3 : SstChecksum::kNone;
}

class RocksDbCorpus : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (const nlohmann::json& entry : LoadGolden("rocksdb/manifest.json")) {
      if (entry.at("file") == GetParam() + ".sst") parameters_ = entry;
    }
    ASSERT_FALSE(parameters_.is_null()) << "not in the manifest";
    const auto file = ReadGolden(GetParam() + ".sst");
    const auto keys = ReadGolden(GetParam() + ".keys");
    if (!file || !keys) GTEST_SKIP() << kNoCorpus;
    file_ = *file;
    keys_ = KeysFromFile(*keys);
    auto table = ParseSst(file_);
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    table_ = *std::move(table);
    spec_ = {
        .policy = PolicyOfManifest(parameters_),
        .format_version = parameters_.at("format_version").get<int>(),
        .is_partitioned = parameters_.at("filter_layout") == "partitioned",
        .rule = {.has_whole_keys =
                     parameters_.at("whole_key_filtering").get<bool>(),
                 .prefix_length =
                     parameters_.at("fixed_prefix_length").get<std::size_t>()},
        .checksum = ChecksumOfManifest(parameters_)};
  }

  const nlohmann::json& Filters() const { return parameters_.at("filters"); }

  // The entries of every filter, from the listed keys and the separators.
  std::vector<std::vector<std::string>> EntriesOfListedKeys() const {
    SstTable listed = table_;
    listed.internal_keys.clear();
    for (const std::string& key : std::set(keys_.begin(), keys_.end())) {
      listed.internal_keys.push_back(key + std::string(8, '\0'));
    }
    return FilterEntries(listed, spec_.rule);
  }

  nlohmann::json parameters_;
  std::string file_;
  std::vector<std::string> keys_;
  SstTable table_;
  TableSpec spec_;
};

TEST_P(RocksDbCorpus, FileTellsWhatTheManifestTells) {
  EXPECT_EQ(table_.format_version, parameters_.at("format_version"));
  EXPECT_EQ(table_.seal.kind, spec_.checksum);
  EXPECT_EQ(table_.is_partitioned, spec_.is_partitioned);
  EXPECT_EQ(table_.NumberProperty("rocksdb.num.entries"),
            parameters_.at("table_entries"));
  EXPECT_EQ(table_.properties.at("rocksdb.filter.policy"),
            parameters_.at("policy").get<std::string>() + "filter");
  std::vector<std::string> names;
  for (const auto& row : table_.metaindex_rows) names.push_back(row.first);
  EXPECT_EQ(names, parameters_.at("metaindex_names"));
  EXPECT_EQ(keys_.size(), parameters_.at("distinct_user_keys"));
  ASSERT_EQ(table_.filters.size(), Filters().size());
  std::uint64_t entry_count = 0;
  for (std::size_t i = 0; i < Filters().size(); ++i) {
    const nlohmann::json& stated = Filters()[i];
    const SstFilter& filter = table_.filters[i];
    EXPECT_EQ(filter.handle.offset, stated.at("offset"));
    EXPECT_EQ(filter.handle.size, stated.at("size"));
    EXPECT_TRUE(filter.bytes ==
                ReadGolden(stated.at("file").get<std::string>()));
    EXPECT_EQ(
        ToHex(filter.bytes.substr(filter.bytes.size() - kRocksDbTrailerBytes)),
        stated.at("trailer"));
    if (spec_.is_partitioned) {
      EXPECT_EQ(ToHex(filter.separator), stated.at("separator"));
    }
    entry_count += stated.at("entries_inserted").get<std::uint64_t>();
  }
  EXPECT_EQ(table_.NumberProperty("rocksdb.num.filter_entries"), entry_count);
}

// The listed keys are those of the data, as far as it can be decompressed.
TEST_P(RocksDbCorpus, DataHoldsTheListedKeys) {
  std::set<std::string> in_data;
  for (const std::string& key : table_.internal_keys) {
    in_data.emplace(UserKeyOf(key));
  }
  const std::set<std::string> listed(keys_.begin(), keys_.end());
  const auto compression = parameters_.at("data_compression");
  ASSERT_EQ(table_.has_all_rows,
            compression == "none" || compression == "snappy");
  if (table_.has_all_rows) {
    EXPECT_EQ(table_.internal_keys.size(), parameters_.at("table_entries"));
    EXPECT_EQ(in_data, listed);
  } else {
    EXPECT_TRUE(std::ranges::includes(listed, in_data));
  }
}

// Every block of the file, but where an index is compressed by means that our
// tests lack; there RocksDB itself must do.
TEST_P(RocksDbCorpus, EveryChecksumIsRight) {
  std::uint64_t bytes = kSstFooterBytes;
  for (const SstHandle& block : table_.blocks) {
    bytes += block.size + kSstTrailerBytes;
  }
  if (GetParam() == "r5-bloom16-dup-db") {
    EXPECT_LT(bytes, file_.size());  // its index is ZSTD data
  } else {
    EXPECT_EQ(bytes, file_.size());
  }
  if (spec_.format_version > 5) return;  // too new for the RocksDB here
  if (const auto why = WhyNotThisRocksDb()) GTEST_SKIP() << *why;
  const Status checked = CheckedByRocksDb(spec_, file_);
  EXPECT_TRUE(checked.ok()) << checked.ToString();
}

// Proves that ParseSst() did look at every checksum.
TEST_P(RocksDbCorpus, OneFlippedBitInAnyBlockIsNoticed) {
  if (spec_.checksum == SstChecksum::kNone) return;
  std::vector<std::uint64_t> places;
  for (const SstHandle& block : table_.blocks) {
    for (const std::uint64_t at :
         {std::uint64_t{0}, block.size / 2, block.size, block.size + 1}) {
      places.push_back(block.offset + at);
    }
  }
  const std::size_t step = places.size() / 200 + 1;
  for (std::size_t i = 0; i < places.size(); i += step) {
    std::string damaged = file_;
    damaged[places[i]] = static_cast<char>(damaged[places[i]] ^ 4);
    const auto table = ParseSst(damaged);
    ASSERT_FALSE(table.ok()) << "byte " << places[i];
    ASSERT_EQ(table.status().message(), "sst: a block's checksum is wrong");
  }
}

TEST_P(RocksDbCorpus, OneFlippedBitInTheNewFooterIsNoticed) {
  if (spec_.format_version < 6) return;
  for (std::uint64_t at = file_.size() - kSstFooterBytes; at < file_.size();
       ++at) {
    std::string damaged = file_;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_FALSE(ParseSst(damaged).ok()) << "byte " << at;
  }
}

TEST_P(RocksDbCorpus, AFilterPutBackGivesTheSameFile) {
  for (std::size_t i = 0; i < table_.filters.size(); ++i) {
    const std::string& bytes = table_.filters[i].bytes;
    const std::string blank(bytes.size(), '\0');
    const std::string blanked = WithFilter(file_, table_, i, blank);
    EXPECT_FALSE(blanked == file_);
    EXPECT_TRUE(ParseSst(blanked).ok());
    EXPECT_TRUE(WithFilter(blanked, table_, i, bytes) == file_);
  }
}

TEST_P(RocksDbCorpus, EveryListedKeyIsAHit) {
  const auto policy = PolicyOf(spec_.policy);
  for (const std::string& key : keys_) {
    const std::string& filter = table_.FilterFor(key).bytes;
    const auto reader = policy->Open(filter);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    ASSERT_TRUE(reader->MayContain(key)) << ToHex(key);
    const auto prefix = spec_.rule.PrefixOf(key);
    ASSERT_TRUE(!prefix || reader->MayContain(*prefix)) << ToHex(key);
  }
}

TEST_P(RocksDbCorpus, FiltersAreRebuiltExactly) {
  const auto policy = PolicyOf(spec_.policy);
  const auto entries = EntriesOfListedKeys();
  ASSERT_EQ(entries.size(), table_.filters.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(ToHex(Build(*policy, entries[i])),
              ToHex(table_.filters[i].bytes));
  }
}

// The same by RocksDB's own builder: the lists of entries are right.
TEST_P(RocksDbCorpus, RocksDbRebuildsTheFiltersExactly) {
  if (const auto why = WhyNotThisRocksDb()) GTEST_SKIP() << *why;
  const auto entries = EntriesOfListedKeys();
  ASSERT_EQ(entries.size(), table_.filters.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(RocksDbEntryCount(spec_.policy, entries[i]),
              Filters()[i].at("entries_inserted"));
    EXPECT_EQ(ToHex(BuildWithRocksDb(spec_.policy, entries[i])),
              ToHex(table_.filters[i].bytes));
  }
}

TEST_P(RocksDbCorpus, ExactlyThatManyStrangersAreLetThrough) {
  const auto policy = PolicyOf(spec_.policy);
  std::uint64_t let_through = 0;
  for (const std::string& key : NumberedKeys("absent-", 8000)) {
    if (AnswersMaybe(*policy, table_.FilterFor(key).bytes, key)) ++let_through;
  }
  EXPECT_EQ(let_through, parameters_.at("false_positives_of_absent_0_7999"));
}

TEST_P(RocksDbCorpus, RocksDbLetsExactlyThatManyStrangersThrough) {
  if (const auto why = WhyNotThisRocksDb()) GTEST_SKIP() << *why;
  std::map<std::string, std::vector<std::string>> asked;  // by filter
  for (const std::string& key : NumberedKeys("absent-", 8000)) {
    asked[table_.FilterFor(key).bytes].push_back(key);
  }
  std::ptrdiff_t let_through = 0;
  for (const auto& [filter, keys] : asked) {
    let_through += std::ranges::count(RocksDbAnswers(filter, keys), '1');
  }
  EXPECT_EQ(let_through, parameters_.at("false_positives_of_absent_0_7999"));
}

// All of the manifest; a missing name would go untested.
std::vector<std::string> CorpusNames() {
  std::vector<std::string> names;
  for (const nlohmann::json& entry : LoadGolden("rocksdb/manifest.json")) {
    const auto file = entry.at("file").get<std::string>();
    names.push_back(file.substr(0, file.size() - 4));
  }
  return names;
}

TEST(RocksDbCorpusList, IsWhole) { EXPECT_EQ(CorpusNames().size(), 11u); }

INSTANTIATE_TEST_SUITE_P(Tables, RocksDbCorpus,
                         ::testing::ValuesIn(CorpusNames()),
                         [](const auto& test) {
                           return AsTestName(test.param);
                         });

}  // namespace
}  // namespace tamis::testing
