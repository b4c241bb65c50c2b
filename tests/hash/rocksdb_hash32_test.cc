// SPDX-License-Identifier: Apache-2.0
#include "hash/rocksdb_hash32.h"

#include <string>

#include <gtest/gtest.h>

#include "hash/leveldb_hash.h"
#include "tests/hash/golden_rows.h"

namespace tamis {
namespace {

using testing::ExpectGoldenColumn;
using testing::FromHex;

constexpr std::uint32_t kRocksDbBloomSeed = 0xbc9f1d34;

TEST(RocksDbHash32, GivesTheGoldenValues) {
  ExpectGoldenColumn("rocksdb32", [](Slice data) {
    return RocksDbHash32(data, kRocksDbBloomSeed);
  });
}

// Some of the values that RocksDB's own test fixes, one per kind of tail.
TEST(RocksDbHash32, GivesRocksDbsPublishedValues) {
  EXPECT_EQ(RocksDbHash32("", kRocksDbBloomSeed), 3164544308u);
  EXPECT_EQ(RocksDbHash32(FromHex("9a"), kRocksDbBloomSeed), 3195034349u);
  EXPECT_EQ(RocksDbHash32(FromHex("91f7"), kRocksDbBloomSeed), 31066776u);
  EXPECT_EQ(RocksDbHash32(FromHex("56dcd6"), kRocksDbBloomSeed), 2157698265u);
  EXPECT_EQ(RocksDbHash32(FromHex("69b8c088"), kRocksDbBloomSeed), 3416318611u);
  EXPECT_EQ(RocksDbHash32(FromHex("6ca8bce599"), kRocksDbBloomSeed),
            2177978500u);
}

// The tail is what follows the last full group of four bytes.
TEST(RocksDbHash32, DiffersFromLevelDbsOnlyByHighBytesInTheTail) {
  for (std::size_t n = 1; n <= 40; ++n) {
    const std::size_t tail = n - n % 4;
    for (std::size_t at = 0; at < n; ++at) {
      std::string key(n, 'k');
      EXPECT_EQ(RocksDbHash32(key, 1), LevelDbHash(key, 1));
      key[at] = '\x80';
      EXPECT_EQ(RocksDbHash32(key, 1) != LevelDbHash(key, 1), at >= tail)
          << "byte " << at << " of " << n;
    }
  }
}

}  // namespace
}  // namespace tamis
