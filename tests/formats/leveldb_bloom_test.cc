// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "formats/leveldb/bloom.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::FromHex;
using testing::PolicyOf;
using testing::ToHex;

TEST(LevelDbBloom, WritesTheBytesLevelDbWrites) {
  const nlohmann::json golden = testing::LoadGolden("leveldb.json");
  ASSERT_GE(golden["filters"].size(), 8u);
  for (const auto& row : golden["filters"]) {
    const auto policy = PolicyOf(
        "leveldb:" + std::to_string(row["bits_per_key"].get<unsigned>()));
    const auto keys = testing::KeysFromHex(row["keys"]);
    EXPECT_EQ(ToHex(testing::Build(*policy, keys)),
              row["filter"].get<std::string>());
    for (const std::string& key : keys) {
      EXPECT_TRUE(testing::AnswersMaybe(*policy,
                                        testing::HexBytes(row["filter"]), key));
    }
  }
}

// LevelDB answers "absent" from filters of 0 and 1 byte.  It never writes
// them, so they are what damage left, and here they rule nothing out.
TEST(LevelDbBloom, AnswersAsLevelDbDoesButForCutFilters) {
  const nlohmann::json golden = testing::LoadGolden("leveldb.json");
  const auto policy = PolicyOf("leveldb");
  unsigned as_leveldb = 0;
  unsigned cut = 0;
  for (const auto& row : golden["reader"]) {
    const std::string filter = testing::HexBytes(row["filter"]);
    const std::string key = testing::HexBytes(row["key"]);
    const bool maybe = testing::AnswersMaybe(*policy, filter, key);
    if (filter.size() < 2) {
      ++cut;
      EXPECT_FALSE(row["match"].get<bool>());
      EXPECT_TRUE(maybe) << row;
      EXPECT_EQ(policy->Open(filter).status().code(), StatusCode::kCorruption);
    } else {
      ++as_leveldb;
      EXPECT_EQ(maybe, row["match"].get<bool>()) << row;
      EXPECT_EQ(LevelDbBloomMayContain(filter, key), maybe) << row;
    }
  }
  EXPECT_EQ(as_leveldb, 21u);
  EXPECT_EQ(cut, 9u);
}

TEST(LevelDbBloom, RoundsFractionsOfBitsUp) {
  EXPECT_EQ(testing::Build(*PolicyOf("leveldb:9.2"), {"a", "b"}),
            testing::Build(*PolicyOf("leveldb:10"), {"a", "b"}));
}

TEST(LevelDbBloom, CountsRepeatedKeysAsLevelDbDoes) {
  const std::vector<std::string> repeated(20, "same");
  EXPECT_EQ(testing::Build(*PolicyOf("leveldb:10"), repeated).size(),
            20 * 10 / 8 + 1u);
}

TEST(LevelDbBloom, ReservedProbesSaySo) {
  const auto reader = PolicyOf("leveldb")->Open(FromHex("00000000000000001f"));
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE(reader->Describe().always_maybe.empty());
  std::string filter;
  EXPECT_FALSE(NewLevelDbBloomPolicy({.bits = 64, .probes = 31})
                   ->NewBuilder()
                   ->Finish(&filter)
                   .ok());
}

}  // namespace
}  // namespace tamis
