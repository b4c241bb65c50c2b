// SPDX-License-Identifier: Apache-2.0
// LevelDB passes over what we add: the file of settings, the properties of
// tables; and what it wrote in between is brought to the store's settings.

#include "tamis/store_settings.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <leveldb/db.h>

#include "tamis/store.h"
#include "tests/peers/peer_policy.h"
#include "tests/peers/scratch_db.h"
#include "tests/peers/store_pair.h"

namespace tamis::testing {
namespace {

std::string SettingsIn(const std::filesystem::path& dir) {
  std::ifstream in(dir / "TAMIS", std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

TEST(StoreSettingsBesideLevelDb, StayAsTheyAreWhenItOpensCompactsAndCloses) {
  const ScratchDir scratch;
  const std::filesystem::path dir = scratch.path() / "db";
  StoreOptions ours;
  ours.create_if_missing = true;
  ours.filter = "bloom:12";
  ours.compression = Compression::kNone;
  std::mt19937_64 random(5);
  Contents contents;
  {
    const std::unique_ptr<Store> store = OpenOurs(dir, ours);
    ASSERT_NE(store, nullptr);
    WriteRandomly({}, 300, &random, store.get(), &contents);
    ASSERT_TRUE(store->Compact().ok());
  }
  const std::string before = SettingsIn(dir);
  ASSERT_FALSE(before.empty());
  {
    const auto policy = TheirPolicy(10);
    leveldb::Options theirs = Paranoid(policy.get());
    const std::unique_ptr<leveldb::DB> db = OpenTheirs(dir, theirs);
    ASSERT_NE(db, nullptr);
    ExpectHolds(db.get(), contents);
    WriteRandomly({}, 300, &random, db.get(), &contents);
    db->CompactRange(nullptr, nullptr);
    ExpectHolds(db.get(), contents);
  }
  EXPECT_EQ(SettingsIn(dir), before);

  // Its tables have neither our filter nor our compression.
  const auto remembered = ReadStoreSettings(dir.string());
  ASSERT_TRUE(remembered.ok()) << remembered.status().ToString();
  StoreOptions again;
  remembered->ApplyTo(&again);
  EXPECT_EQ(again.filter, "bloom:12");
  const std::unique_ptr<Store> store = OpenOurs(dir, again);
  ASSERT_NE(store, nullptr);
  const auto first = store->CompactWith({.rewrite_what_differs = true});
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_GT(first->merged + first->rewritten, 0u);
  const auto second = store->CompactWith({.rewrite_what_differs = true});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->merged + second->moved + second->rewritten, 0u);
  ExpectHolds(store.get(), contents);
  EXPECT_EQ(SettingsIn(dir), before);
}

}  // namespace
}  // namespace tamis::testing
