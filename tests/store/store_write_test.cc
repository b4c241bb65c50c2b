// SPDX-License-Identifier: Apache-2.0
// Writes in crowds, in bulk, and faster than the store can put them away.

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::NumberKey;
using testing::SmallOptions;
using testing::StillOptions;
using testing::TestStore;

// Each thread writes keys of its own; every third write is synced.
void WriteInThreads(TestStore* store, std::uint64_t threads,
                    std::uint64_t each) {
  std::vector<std::thread> writers;
  for (std::uint64_t t = 0; t < threads; ++t) {
    writers.emplace_back([=] {
      for (std::uint64_t i = 0; i < each; ++i) {
        const std::string key = NumberKey(t * each + i);
        const WriteOptions options{.sync = i % 3 == 0};
        const Status put = (*store)->Put(options, key, "value of " + key);
        ASSERT_TRUE(put.ok()) << put.ToString();
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
}
void ExpectWritten(TestStore* store, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSERT_EQ(store->Get(NumberKey(i)), "value of " + NumberKey(i));
  }
}

TEST(StoreWriteThreads, CommitInGroupsAndLoseNothing) {
  TestStore store;
  WriteInThreads(&store, 8, 250);
  ExpectWritten(&store, 2000);
  EXPECT_LE(store->Stats().writes, 2000u);
  EXPECT_GT(store->Stats().writes, 0u);
  store.env().Crash(testing::CrashMode::kKillProcess);
  store.Close();
  store.env().Restart();
  store.Open();
  ExpectWritten(&store, 2000);
}

TEST(StoreWriteThreads, LoseNothingThatWasSyncedWhenTheMachineDies) {
  TestStore store(SmallOptions());
  WriteInThreads(&store, 4, 300);
  // A write that was synced takes all before it along.
  ASSERT_TRUE(store->Put({.sync = true}, "last", "one").ok());
  store.env().Crash(testing::CrashMode::kDropUnsynced);
  store.Close();
  store.env().Restart();
  store.Open();
  ExpectWritten(&store, 1200);
  EXPECT_EQ(store.Get("last"), "one");
}

// A flush that comes while others write must still flush.
TEST(StoreWriteThreads, FlushWritesWhatWasPutBeforeIt) {
  TestStore store(StillOptions());
  std::atomic<bool> is_over{false};
  std::vector<std::thread> writers;
  for (int t = 0; t < 3; ++t) {
    writers.emplace_back([&] {
      while (!is_over) (void)store->Put({.sync = true}, "busy", "value");
    });
  }
  for (std::uint64_t i = 0; i < 150; ++i) {
    const std::string key = "mine" + NumberKey(i);
    store.Put(key, "value");
    store.Flush();
    const Explanation told = store->Explain({}, key);
    ASSERT_EQ(told.steps.back().place, LookupStep::Place::kTable) << i;
  }
  is_over = true;
  for (std::thread& writer : writers) writer.join();
}

TEST(StoreWrite, OfMoreThanTheBuffersHoldWaitsAndGoesOn) {
  StoreOptions options = SmallOptions();
  options.write_buffer_bytes = 4096;
  TestStore store(options);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    store.Put(NumberKey(i), "value of " + NumberKey(i));
  }
  ExpectWritten(&store, 3000);
  EXPECT_GT(store->Stats().flushes, 10u);
  EXPECT_LE(store->Stats().immutable_memtables, 2u);
}

TEST(StoreWrite, IsSlowedWhileLevel0IsFullAndCountsIt) {
  StoreOptions options = SmallOptions();
  options.write_buffer_bytes = 4096;
  options.level0_compact_at = 1;
  options.level0_slow_at = 1;
  options.level0_stop_at = 2;
  TestStore store(options);
  for (std::uint64_t i = 0; i < 1500; ++i) {
    store.Put(NumberKey(i), std::string(100, 'x'));
  }
  EXPECT_GT(store->Stats().stall_microseconds, 0u);
  EXPECT_LE(store.TablesAt(0), 2u);
}

TEST(StoreWrite, TakesBatchesLargerThanTheBuffer) {
  TestStore store(SmallOptions());
  for (std::uint64_t round = 0; round < 3; ++round) {
    WriteBatch batch;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      batch.Put(NumberKey(i), "value of " + NumberKey(i));
      batch.Delete("gone" + NumberKey(i));
    }
    ASSERT_TRUE(store->Write({}, batch).ok());
  }
  ExpectWritten(&store, 5000);
  EXPECT_EQ(store.Get("gone" + NumberKey(1)), "(none)");
  store.Reopen();
  ExpectWritten(&store, 5000);
}

TEST(StoreWrite, TakesABatchAgainAndOneThatGrows) {
  TestStore store;
  WriteBatch batch;
  batch.Put("a", "1");
  ASSERT_TRUE(store->Write({}, batch).ok());
  ASSERT_TRUE(store->Delete({}, "a").ok());
  ASSERT_TRUE(store->Write({}, batch).ok());
  EXPECT_EQ(store.Get("a"), "1");
  batch.Put("b", "2");
  ASSERT_TRUE(store->Write({}, batch).ok());
  EXPECT_EQ(store.All(), "a=1 b=2");
}

TEST(StoreWrite, TakesAValueOf64MiB) {
  StoreOptions options;
  options.compression = Compression::kNone;
  TestStore store(options);
  std::string value(std::size_t{64} << 20, 'v');
  value.back() = 'e';
  store.Put("large", value);
  EXPECT_TRUE(store.Get("large") == value);
  store.Flush();
  EXPECT_TRUE(store.Get("large") == value);
}

// A write that failed is not there, and when the reason is gone others work.
TEST(StoreWrite, ThatFailsLeavesTheStoreAsItWas) {
  TestStore store;
  store.Put("before", "1");
  for (std::uint64_t n = 1; n < 4; ++n) {
    store.env().FailCall(1, 5, true,
                         testing::kWriteCalls | testing::kSyncCalls);
    EXPECT_FALSE(store->Put({.sync = true}, "failed", "x").ok());
    EXPECT_EQ(store.Get("failed"), "(none)");
    store.env().Heal();
    const std::string key = "after" + std::to_string(n);
    // While memtables wait for a flush that failed it may be refused.
    EXPECT_TRUE(
        testing::ComesTrue([&] { return store->Put({}, key, "2").ok(); }));
    EXPECT_EQ(store.Get(key), "2");
    EXPECT_EQ(store.Get("before"), "1");
  }
  store.Reopen();
  EXPECT_EQ(store.Get("before"), "1");
  EXPECT_EQ(store.Get("after1"), "2");
  EXPECT_EQ(store.Get("after3"), "2");
}

}  // namespace
}  // namespace tamis
