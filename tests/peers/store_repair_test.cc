// SPDX-License-Identifier: Apache-2.0
// A store that was repaired here opens in the LevelDB that is installed, with
// the newest value of every key.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <leveldb/db.h>

#include "tamis/store.h"
#include "tests/base/temp_dir.h"

namespace tamis {
namespace {

constexpr int kSixDigitKeys = 2000;
constexpr int kRounds = 4;

std::string SixDigitKey(int i) { return "key" + std::to_string(100'000 + i); }

// Tables in several levels, deletions among them, and a log.
void WriteStore(const std::string& dir) {
  StoreOptions options;
  options.create_if_missing = true;
  options.write_buffer_bytes = std::size_t{32} << 10;
  options.table_bytes = std::uint64_t{16} << 10;
  options.level1_bytes = std::uint64_t{64} << 10;
  auto store = Store::Open(dir, options);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  for (int round = 0; round < kRounds; ++round) {
    for (int i = round; i < kSixDigitKeys; i += 1 + round) {
      const Status written =
          i % 7 == round
              ? store->Delete({}, SixDigitKey(i))
              : store->Put({}, SixDigitKey(i), std::to_string(round * i));
      ASSERT_TRUE(written.ok()) << written.ToString();
    }
  }
}
std::string NewestValue(int i) {
  std::string value = "(none)";
  for (int round = 0; round < kRounds; ++round) {
    if (i < round || (i - round) % (1 + round) != 0) continue;
    value = i % 7 == round ? "(none)" : std::to_string(round * i);
  }
  return value;
}

TEST(StoreRepairPeer, LevelDbOpensWhatWasRepairedHere) {
  const TempDir dir;
  const std::string path = dir.File("db");
  WriteStore(path);
  std::filesystem::remove(path + "/CURRENT");
  const auto repaired = RepairStore(path);
  ASSERT_TRUE(repaired.ok()) << repaired.status().ToString();
  EXPECT_TRUE(repaired->lost.empty());

  leveldb::DB* opened = nullptr;
  leveldb::Options options;
  options.paranoid_checks = true;
  const leveldb::Status status = leveldb::DB::Open(options, path, &opened);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const std::unique_ptr<leveldb::DB> db(opened);
  for (int i = 0; i < kSixDigitKeys; ++i) {
    std::string value;
    const leveldb::Status got = db->Get({}, SixDigitKey(i), &value);
    ASSERT_TRUE(got.ok() || got.IsNotFound()) << got.ToString();
    ASSERT_EQ(got.ok() ? value : "(none)", NewestValue(i)) << i;
  }
}

}  // namespace
}  // namespace tamis
