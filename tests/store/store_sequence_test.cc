// SPDX-License-Identifier: Apache-2.0
// The numbers of writes have 56 bits.  Nobody comes to their end by writing,
// but a damaged or hostile manifest may say so.

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "store/manifest.h"
#include "table/internal_key.h"
#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis::testing {
namespace {

// A store with one key whose manifest says that so many numbers are left.
void LeaveNumbers(TestStore* store, Sequence left) {
  store->Put("old", "value");
  store->Flush();
  store->Close();
  Result<ManifestState> state = ReadManifest(store->env(), TestStore::dir());
  ASSERT_TRUE(state.ok());
  state->last_sequence = kMaxSequence - 1 - left;
  Manifest manifest(store->env(), TestStore::dir());
  ASSERT_TRUE(manifest.Start(state->number + 10, FullEdit(*state)).ok());
  store->Open();
}

TEST(SequenceNumbers, AWriteThatFindsNoneIsRefused) {
  TestStore store;
  LeaveNumbers(&store, 2);
  store.Put("a", "1");
  store.Put("b", "2");
  for (int i = 0; i < 2; ++i) {
    const Status refused = store->Put({}, "c", "3");
    EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(refused.message().find("sequence numbers"), std::string::npos);
    EXPECT_NE(refused.message().find("copy"), std::string::npos);
    EXPECT_EQ(store->Delete({.sync = true}, "a").code(),
              StatusCode::kResourceExhausted);
    EXPECT_EQ(store.All(), "a=1 b=2 old=value");
    // What was acknowledged is there, by the log and by the table.
    if (i == 0) store.Reopen();
  }
  store.Flush();
  store.Reopen();
  EXPECT_EQ(store.All(), "a=1 b=2 old=value");
  EXPECT_FALSE(store->Put({}, "c", "3").ok());
  store.Compact();
  EXPECT_EQ(store.All(), "a=1 b=2 old=value");
}

TEST(SequenceNumbers, ABatchIsRefusedWhole) {
  TestStore store;
  LeaveNumbers(&store, 2);
  WriteBatch batch;
  batch.Put("a", "1");
  batch.Put("b", "2");
  batch.Put("c", "3");
  EXPECT_EQ(store->Write({}, batch).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(store.All(), "old=value");
  store.Put("d", "4");  // a smaller one fits
  store.Reopen();
  EXPECT_EQ(store.All(), "d=4 old=value");
}

// Not even a sync of nothing may go to the log: its number could not be read.
TEST(SequenceNumbers, AfterTheLastOneNothingIsLogged) {
  TestStore store;
  LeaveNumbers(&store, 0);
  store.Close();
  Result<ManifestState> state = ReadManifest(store.env(), TestStore::dir());
  ASSERT_TRUE(state.ok());
  state->last_sequence = kMaxSequence;
  Manifest manifest(store.env(), TestStore::dir());
  ASSERT_TRUE(manifest.Start(state->number + 10, FullEdit(*state)).ok());
  store.Open();
  EXPECT_FALSE(store->Put({}, "a", "1").ok());
  EXPECT_FALSE(store->Write({.sync = true}, WriteBatch()).ok());
  store.Reopen();
  EXPECT_EQ(store.All(), "old=value");
}

}  // namespace
}  // namespace tamis::testing
