// SPDX-License-Identifier: Apache-2.0
// The tables of tests/golden/leveldb, which LevelDB 1.23 wrote, and every
// figure that their manifest gives.

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/leveldb/bloom.h"
#include "formats/leveldb/filter_block.h"
#include "tests/peers/ldb_file.h"
#include "tests/peers/peer_policy.h"
#include "tests/peers/rebuild.h"
#include "tests/support/golden.h"

namespace tamis::testing {
namespace {

std::string GoldenFile(const std::string& name) {
  return ReadFile(std::filesystem::path(TAMIS_SOURCE_DIR) / "tests" / "golden" /
                  "leveldb" / name);
}

// One line of hexadecimal digits per key.
std::vector<std::string> ReadKeys(const std::string& name) {
  std::istringstream lines(GoldenFile(name));
  std::vector<std::string> keys;
  for (std::string line; std::getline(lines, line);) {
    keys.push_back(FromHex(line));
  }
  return keys;
}

class LevelDbCorpus : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (const nlohmann::json& entry : LoadGolden("leveldb/manifest.json")) {
      if (entry.at("file") == GetParam() + ".ldb") parameters_ = entry;
    }
    ASSERT_FALSE(parameters_.is_null()) << "not in the manifest";
    file_ = GoldenFile(GetParam() + ".ldb");
    stored_ = GoldenFile(GetParam() + ".filterblock");
    auto table = ParseLdb(file_);
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    table_ = *std::move(table);
    policy_ = OurPolicy(parameters_.at("bits_per_key").get<int>());
  }

  std::uint64_t Fact(const char* name) const {
    return parameters_.at(name).get<std::uint64_t>();
  }

  nlohmann::json parameters_;
  std::string file_;
  std::string stored_;  // the filter block, as the corpus has it
  LdbTable table_;
  std::unique_ptr<const FilterPolicy> policy_;
};

TEST_P(LevelDbCorpus, FileTellsWhatTheManifestTells) {
  EXPECT_EQ(table_.filter_entry, "filter." + std::string(kLevelDbBloomName));
  EXPECT_EQ(table_.filter.offset, Fact("filter_block_offset"));
  EXPECT_EQ(table_.filter.size, Fact("filter_block_size"));
  EXPECT_EQ(table_.data_end(), Fact("data_end"));
  EXPECT_EQ(table_.entry_count(), Fact("table_entries"));
  EXPECT_EQ(table_.filter_block, stored_);
  const nlohmann::json& blocks = parameters_.at("data_blocks");
  ASSERT_EQ(table_.blocks.size(), blocks.size());
  bool any_compressed = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const LdbDataBlock& block = table_.blocks[i];
    EXPECT_EQ(block.handle.offset, blocks[i].at("offset"));
    EXPECT_EQ(block.user_keys.size(), blocks[i].at("entries"));
    any_compressed = any_compressed || block.is_compressed;
  }
  EXPECT_EQ(any_compressed, parameters_.at("snappy_data_blocks").get<bool>());
}

TEST_P(LevelDbCorpus, EveryFilterHasTheProbesOfTheManifest) {
  const LevelDbFilterBlockReader reader(stored_);
  ASSERT_EQ(reader.damage(), "");
  ASSERT_GT(reader.filter_count(), 0u);
  for (std::size_t i = 0; i < reader.filter_count(); ++i) {
    if (reader.filter(i).empty()) continue;
    EXPECT_EQ(static_cast<unsigned char>(reader.filter(i).back()), Fact("k"));
  }
  EXPECT_EQ(policy_->Predict(1).probes, Fact("k"));
}

// Proves that ParseLdb() did look at every checksum.
TEST_P(LevelDbCorpus, OneFlippedBitInAnyBlockIsNoticed) {
  std::vector<LdbHandle> handles = {table_.metaindex, table_.index,
                                    table_.filter};
  for (const LdbDataBlock& block : table_.blocks) {
    handles.push_back(block.handle);
  }
  for (const LdbHandle& handle : handles) {
    for (const std::uint64_t at :
         {handle.offset, handle.offset + handle.size / 2,
          handle.offset + handle.size, handle.offset + handle.size + 1}) {
      std::string damaged = file_;
      damaged[at] = static_cast<char>(damaged[at] ^ 4);
      const auto table = ParseLdb(damaged);
      ASSERT_FALSE(table.ok()) << "byte " << at;
      ASSERT_EQ(table.status().message(), "ldb: a block's checksum is wrong");
    }
  }
}

TEST_P(LevelDbCorpus, EveryListedKeyIsAHitAtItsBlock) {
  std::map<std::string, std::set<std::uint64_t>> blocks_of;
  for (const LdbDataBlock& block : table_.blocks) {
    for (const std::string& key : block.user_keys) {
      blocks_of[key].insert(block.handle.offset);
    }
  }
  const std::vector<std::string> keys = ReadKeys(GetParam() + ".keys");
  EXPECT_EQ(keys.size(), Fact("distinct_user_keys"));
  EXPECT_EQ(blocks_of.size(), keys.size());
  const LevelDbFilterBlockReader reader(stored_);
  for (const std::string& key : keys) {
    ASSERT_FALSE(blocks_of[key].empty()) << ToHex(key) << " is in no block";
    for (const std::uint64_t offset : blocks_of[key]) {
      ASSERT_TRUE(reader.MayContain(offset, key)) << ToHex(key);
    }
  }
}

TEST_P(LevelDbCorpus, FilterBlockIsRebuiltExactly) {
  EXPECT_EQ(ToHex(RebuildFilterBlock(table_, *policy_)), ToHex(stored_));
}

TEST_P(LevelDbCorpus, ExactlyThatManyStrangersAreLetThrough) {
  ASSERT_EQ(parameters_.at("absent_rule"),
            "key absent-<i> is asked at data block number i modulo the number "
            "of data blocks");
  const LevelDbFilterBlockReader reader(stored_);
  std::uint64_t let_through = 0;
  for (std::size_t i = 0; i < 8000; ++i) {
    const LdbDataBlock& block = table_.blocks[i % table_.blocks.size()];
    const std::string key = "absent-" + std::to_string(i);
    if (reader.MayContain(block.handle.offset, key)) ++let_through;
  }
  EXPECT_EQ(let_through, Fact("false_positives_of_absent_0_7999"));
}

INSTANTIATE_TEST_SUITE_P(Files, LevelDbCorpus,
                         ::testing::Values("l10-ascii", "l10-bin", "l10-dup",
                                           "l10-bigvalues", "l16-seq"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(LevelDbCorpusManifest, HasNoFileThatIsNotTestedHere) {
  EXPECT_EQ(LoadGolden("leveldb/manifest.json").size(), 5u);
}

}  // namespace
}  // namespace tamis::testing
