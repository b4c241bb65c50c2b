// SPDX-License-Identifier: Apache-2.0
#include "hash/leveldb_hash.h"

#include <gtest/gtest.h>

#include "tests/hash/golden_rows.h"

namespace tamis {
namespace {

using testing::ExpectGoldenColumn;
using testing::FromHex;

constexpr std::uint32_t kBloomSeed = 0xbc9f1d34;

TEST(LevelDbHash, GivesTheGoldenValues) {
  ExpectGoldenColumn("leveldb",
                     [](Slice data) { return LevelDbHash(data, kBloomSeed); });
}

// The values that LevelDB's own test fixes.
TEST(LevelDbHash, GivesLevelDbsPublishedValues) {
  EXPECT_EQ(LevelDbHash("", kBloomSeed), kBloomSeed);
  EXPECT_EQ(LevelDbHash(FromHex("62"), kBloomSeed), 0xef1345c4);
  EXPECT_EQ(LevelDbHash(FromHex("c397"), kBloomSeed), 0x5b663814);
  EXPECT_EQ(LevelDbHash(FromHex("e299a5"), kBloomSeed), 0x323c078f);
  EXPECT_EQ(LevelDbHash(FromHex("e180b932"), kBloomSeed), 0xed21633a);
}

TEST(LevelDbHash, TheEmptyKeyHashesToTheSeed) {
  EXPECT_EQ(LevelDbHash(Slice(), 0), 0u);
  EXPECT_EQ(LevelDbHash(Slice(), 0xffffffff), 0xffffffff);
}

}  // namespace
}  // namespace tamis
