// SPDX-License-Identifier: Apache-2.0
// Sectors that cannot be read: CheckStore() names the file, and RepairStore()
// saves all the rest.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::NumberKey;
using testing::StillOptions;
using testing::TestStore;

// A table and a log, each of several sectors.
class StoreUnreadable : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kKeys = 2000;

  StoreUnreadable() : store_(StillOptions()) {
    for (std::uint64_t i = 0; i < kKeys; ++i) store_.Put(Key(i), Value(i));
    store_.Flush();
    for (std::uint64_t i = kKeys; i < 2 * kKeys; ++i) {
      store_.Put(Key(i), Value(i));
    }
    store_.Close();
  }
  static std::string Key(std::uint64_t i) { return NumberKey(i); }
  static std::string Value(std::uint64_t i) {
    return std::to_string(i * i * 2654435761 % 1'000'000'007);
  }

  // Repairs, and counts the keys that are there, each with its value.
  std::uint64_t Repair() {
    const auto repaired = RepairStore("/db", store_.options());
    EXPECT_TRUE(repaired.ok()) << repaired.status().ToString();
    if (!repaired.ok()) return 0;
    report_ = *repaired;
    store_.Open();
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < 2 * kKeys; ++i) {
      const std::string got = store_.Get(Key(i));
      if (got == "(none)") continue;
      EXPECT_EQ(got, Value(i));
      ++found;
    }
    return found;
  }
  void ExpectFound(const std::string& path) {
    const auto checked = CheckStore("/db", store_.options());
    ASSERT_TRUE(checked.ok()) << checked.status().ToString();
    ASSERT_FALSE(checked->problems.empty());
    EXPECT_NE(checked->problems[0].find(path), std::string::npos)
        << checked->problems[0];
  }
  std::string Manifest() {
    for (const std::string& path : store_.Files("")) {
      if (path.find("MANIFEST") != std::string::npos) return path;
    }
    return "";
  }

  TestStore store_;
  RepairReport report_;
};

TEST_F(StoreUnreadable, SectorOfATableCostsItsBlocksOnly) {
  const std::string table = store_.Files(".ldb").front();
  store_.env().MakeUnreadable(table, 8192, 512);
  ExpectFound(table);
  const std::uint64_t found = Repair();
  EXPECT_LT(found, 2 * kKeys);
  EXPECT_GT(found, 2 * kKeys - 700);
  ASSERT_FALSE(report_.lost.empty());
  EXPECT_NE(report_.lost[0].find(table), std::string::npos);
}

TEST_F(StoreUnreadable, EndOfATableCostsNothing) {
  const std::string table = store_.Files(".ldb").front();
  const std::uint64_t size = store_.env().Contents(table).size();
  store_.env().MakeUnreadable(table, size - 20, 20);
  ExpectFound(table);
  EXPECT_EQ(Repair(), 2 * kKeys);
}

TEST_F(StoreUnreadable, SectorOfALogCostsItsRecordsOnly) {
  const std::string log = store_.Files(".log").front();
  store_.env().MakeUnreadable(log, 8192, 4096);
  ExpectFound(log);
  const std::uint64_t found = Repair();
  EXPECT_LT(found, 2 * kKeys);
  EXPECT_GT(found, kKeys);
  ASSERT_FALSE(report_.lost.empty());
  EXPECT_NE(report_.lost[0].find(log), std::string::npos);
}

TEST_F(StoreUnreadable, ManifestCostsNothing) {
  store_.env().MakeUnreadable(Manifest(), 0, 10);
  EXPECT_FALSE(CheckStore("/db", store_.options()).ok());
  EXPECT_EQ(Repair(), 2 * kKeys);
  EXPECT_FALSE(report_.may_come_back.empty());
}

}  // namespace
}  // namespace tamis
