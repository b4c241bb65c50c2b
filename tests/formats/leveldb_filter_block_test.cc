// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/leveldb/filter_block.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::FromHex;
using testing::PolicyOf;
using testing::ToHex;

std::string BuildBlock(const nlohmann::json& row) {
  const auto policy = PolicyOf(
      "leveldb:" + std::to_string(row["bits_per_key"].get<unsigned>()));
  LevelDbFilterBlockBuilder builder(*policy);
  for (const auto& data_block : row["data_blocks"]) {
    EXPECT_TRUE(builder.StartBlock(data_block["offset"]).ok());
    for (const std::string& key : testing::KeysFromHex(data_block["keys"])) {
      builder.AddKey(key);
    }
  }
  EXPECT_TRUE(builder.StartBlock(row["data_end"]).ok());
  std::string block = "before";
  EXPECT_TRUE(builder.Finish(&block).ok());
  EXPECT_TRUE(block.starts_with("before"));
  return block.substr(6);
}

TEST(LevelDbFilterBlock, WritesTheBytesLevelDbWrites) {
  const nlohmann::json golden = testing::LoadGolden("leveldb.json");
  ASSERT_GE(golden["filter_blocks"].size(), 2u);
  for (const auto& row : golden["filter_blocks"]) {
    EXPECT_EQ(ToHex(BuildBlock(row)), row["filter_block"].get<std::string>());
  }
}

TEST(LevelDbFilterBlock, FindsEveryKeyAtItsBlock) {
  const nlohmann::json golden = testing::LoadGolden("leveldb.json");
  for (const auto& row : golden["filter_blocks"]) {
    const std::string block = testing::HexBytes(row["filter_block"]);
    const LevelDbFilterBlockReader reader(block);
    EXPECT_EQ(reader.damage(), "");
    for (const auto& data_block : row["data_blocks"]) {
      for (const std::string& key : testing::KeysFromHex(data_block["keys"])) {
        EXPECT_TRUE(reader.MayContain(data_block["offset"], key));
      }
      EXPECT_FALSE(reader.MayContain(data_block["offset"], "stranger"));
    }
    // No data block starts in the second 2 KiB: an empty filter.
    EXPECT_FALSE(reader.MayContain(2048, "k000"));
    // Beyond the last filter nothing is known.
    EXPECT_TRUE(reader.MayContain(std::uint64_t{1} << 40, "stranger"));
  }
}

TEST(LevelDbFilterBlock, NoKeysMakeAnEmptyBlock) {
  const auto policy = PolicyOf("leveldb:10");
  LevelDbFilterBlockBuilder builder(*policy);
  std::string block;
  ASSERT_TRUE(builder.Finish(&block).ok());
  EXPECT_EQ(ToHex(block), "000000000b");
  EXPECT_TRUE(LevelDbFilterBlockReader(block).MayContain(0, "key"));
}

TEST(LevelDbFilterBlock, RefusesAnAbsurdOffsetBeforeItCostsMemory) {
  const auto policy = PolicyOf("leveldb:10");
  LevelDbFilterBlockBuilder builder(*policy);
  EXPECT_EQ(builder.StartBlock(std::uint64_t{1} << 60).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(builder.StartBlock((std::uint64_t{1} << 41) + 2048).code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(builder.StartBlock(std::uint64_t{1} << 20).ok());
}

// A block whose one filter covers any table: LevelDB reads base_lg from it.
TEST(LevelDbFilterBlock, ReadsOtherRangesThan2KiB) {
  const std::string filter = testing::Build(*PolicyOf("leveldb:10"), {"a"});
  std::string block = filter;
  block += FromHex("00000000");
  block += FromHex("09000000");
  block += '\x28';  // 2^40
  const LevelDbFilterBlockReader reader(block);
  EXPECT_EQ(reader.filter_count(), 1u);
  EXPECT_TRUE(reader.MayContain((std::uint64_t{1} << 40) - 1, "a"));
  EXPECT_FALSE(reader.MayContain((std::uint64_t{1} << 40) - 1, "b"));
  EXPECT_TRUE(reader.MayContain(std::uint64_t{1} << 40, "b"));
}

TEST(LevelDbFilterBlock, DamagedOffsetsRuleNothingOut) {
  struct Case {
    const char* what;
    std::string block;
  };
  const std::string filter = FromHex("080010000000000006");
  const std::vector<Case> cases = {
      {"no bytes", ""},
      {"only four bytes", FromHex("0000000b")},
      {"offsets outside", filter + FromHex("00000000ff0000000b")},
      {"a range of 2^64", filter + FromHex("000000000900000040")},
      {"a range of 2^255", filter + FromHex("0000000009000000ff")},
      {"an offset beyond the filters",
       filter + FromHex("00000000f0000000090000000b")},
      // LevelDB answers "absent" for these two.
      {"equal offsets beyond the filters",
       filter + FromHex("f0000000f0000000090000000b")},
      {"a filter of one byte", FromHex("0600000000010000000b")},
      {"falling offsets", filter + FromHex("0900000000000000090000000b")},
      {"filters that start late", filter + FromHex("01000000090000000b")},
      {"half an offset", filter + FromHex("000000000000090000000b")},
  };
  for (const Case& c : cases) {
    const LevelDbFilterBlockReader reader(c.block);
    EXPECT_NE(reader.damage(), "") << c.what;
    for (std::uint64_t offset : {0u, 2048u, 4096u}) {
      EXPECT_TRUE(reader.MayContain(offset, "stranger")) << c.what;
    }
  }
}

// Whatever bytes: no crash, and (under sanitizers) no stray read.
TEST(LevelDbFilterBlock, SurvivesEveryCutAndFlip) {
  const nlohmann::json golden = testing::LoadGolden("leveldb.json");
  const std::string whole =
      testing::HexBytes(golden["filter_blocks"][0]["filter_block"]);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut(whole.data(), size);
    const LevelDbFilterBlockReader reader(cut);
    for (std::uint64_t offset = 0; offset < 12'000; offset += 1000) {
      (void)reader.MayContain(offset, "k000");
    }
  }
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const LevelDbFilterBlockReader reader(flipped);
    for (std::uint64_t offset = 0; offset < 12'000; offset += 1000) {
      (void)reader.MayContain(offset, "k000");
    }
  }
}

// Of right blocks and of damaged ones, at every block and after the last.
TEST(LevelDbFilterBlock, AnswersManyKeysAsOneByOne) {
  const nlohmann::json golden = testing::LoadGolden("leveldb.json");
  std::vector<std::string> texts = {"", "stranger"};
  for (const auto& row : golden["filter_blocks"][0]["data_blocks"]) {
    for (const std::string& key : testing::KeysFromHex(row["keys"])) {
      texts.push_back(key);
      texts.push_back(key + "!");
    }
  }
  const std::vector<Slice> keys(texts.begin(), texts.end());
  const auto answers = std::make_unique<bool[]>(keys.size());
  const std::string whole =
      testing::HexBytes(golden["filter_blocks"][0]["filter_block"]);
  std::set<bool> seen;
  for (std::size_t bit = 0; bit <= whole.size() * 8; ++bit) {
    std::string block = whole;  // the last time as it is
    if (bit < whole.size() * 8) {
      block[bit / 8] = static_cast<char>(block[bit / 8] ^ (1 << (bit % 8)));
    }
    const LevelDbFilterBlockReader reader(block);
    for (const std::uint64_t offset :
         {0ull, 1000ull, 2048ull, 4096ull, 9000ull, 1ull << 40}) {
      reader.MayContainMany(offset, keys, {answers.get(), keys.size()});
      for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(answers[i], reader.MayContain(offset, keys[i]))
            << "bit " << bit << ", offset " << offset << ", key " << i;
        seen.insert(answers[i]);
      }
    }
  }
  EXPECT_EQ(seen.size(), 2u);
}

}  // namespace
}  // namespace tamis
