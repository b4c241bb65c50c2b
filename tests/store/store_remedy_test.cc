// SPDX-License-Identifier: Apache-2.0
// An error that somebody can do something about says so as data, and doing it
// helps.

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::Backwards;
using testing::StillOptions;
using testing::TestStore;

// Refused with that remedy, the store opens after it.
void ExpectRepairHelps(TestStore* store) {
  const Status opened = store->TryOpen();
  EXPECT_EQ(opened.code(), StatusCode::kCorruption) << opened.ToString();
  EXPECT_EQ(opened.remedy(), Remedy::kRepairStore) << opened.ToString();
  const auto repaired = RepairStore(TestStore::dir(), store->options());
  ASSERT_TRUE(repaired.ok()) << repaired.status().ToString();
  store->Open();
}

TEST(StoreRemedy, AStoreThatHasLostItsCurrentIsToBeRepaired) {
  TestStore store(StillOptions());
  store.Put("key", "value");
  store.Flush();
  store.Close();
  ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
  ExpectRepairHelps(&store);
  EXPECT_EQ(store.All(), "key=value");
}

TEST(StoreRemedy, AStoreWithADamagedLogIsToBeRepaired) {
  TestStore store(StillOptions());
  for (const std::string_view key : {"a", "b", "c"}) {
    ASSERT_TRUE(store->Put({.sync = true}, key, "value").ok());
  }
  store.Close();
  const std::string log = store.Files(".log").front();
  store.env().FlipBit(log, store.env().Contents(log).size() / 2, 3);
  ExpectRepairHelps(&store);
  EXPECT_EQ(store.Get("a"), "value");
}

TEST(StoreRemedy, AStoreWithAnOldManifestIsToBeRepaired) {
  TestStore store(StillOptions());
  store.Put("early", "value");
  store.Flush();
  const std::string old = store.env().Contents(store.Manifest());
  store.Put("late", "value");
  store.Flush();
  store.Close();
  store.env().SetContents(store.Manifest(), old);
  ExpectRepairHelps(&store);
  EXPECT_EQ(store.All(), "early=value late=value");
}

TEST(StoreRemedy, AStoreOfAnotherOrderIsToBeOpenedWithItsComparator) {
  const Backwards backwards;
  TestStore store(StillOptions());
  store.Put("key", "value");
  store.Close();
  store.options().comparator = &backwards;
  for (const Status& refused :
       {store.TryOpen(), CheckStore("/db", store.options()).status(),
        RepairStore("/db", store.options()).status()}) {
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(refused.remedy(), Remedy::kUseComparator) << refused.ToString();
  }
  store.options().comparator = &BytewiseComparator();
  store.Open();
  EXPECT_EQ(store.All(), "key=value");
}

TEST(StoreRemedy, NothingIsKnownToHelpWhereThereIsNoStore) {
  TestStore store;
  StoreOptions options = store.options();
  options.create_if_missing = false;
  const Status opened = Store::Open("/elsewhere", options).status();
  EXPECT_EQ(opened.code(), StatusCode::kNotFound);
  EXPECT_EQ(opened.remedy(), Remedy::kNone);
}

}  // namespace
}  // namespace tamis
