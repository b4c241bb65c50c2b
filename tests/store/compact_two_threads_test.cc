// SPDX-License-Identifier: Apache-2.0
// Two compactions at a time: one of level 0, and one further down.

#include <cstdint>
#include <map>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/store/stores.h"

namespace tamis::testing {
namespace {

// A store with keys from "b" on in levels 1 and 2.  When it is opened again,
// level 1 is too large, and the first thing to do is a merge of the two.
class CompactTwoThreads : public ::testing::Test {
 protected:
  CompactTwoThreads() : store_(OptionsFor(kTiny)) {
    Fill("b", "old");  // goes down to level 2
    store_.options().level1_bytes = kLarge;
    store_.Reopen();
    Fill("b", "new");  // stays in level 1
    EXPECT_EQ(store_.TablesAt(0), 0u);
    EXPECT_GT(store_.TablesAt(1), 0u);
    EXPECT_GT(store_.TablesAt(2), 0u);
    store_.Close();
    store_.options().level1_bytes = kTiny;
    store_.options().level0_compact_at = 4;
  }
  ~CompactTwoThreads() override { store_.env().ReleaseCreate(); }

  static constexpr std::uint64_t kTiny = 1;
  static constexpr std::uint64_t kLarge = std::uint64_t{1} << 30;
  static constexpr std::uint64_t kKeys = 100;

  // Level 2 is never too large.
  static StoreOptions OptionsFor(std::uint64_t level1_bytes) {
    StoreOptions options = SmallOptions();
    options.level0_compact_at = 1;
    options.level1_bytes = level1_bytes;
    options.level_growth = 1'000'000'000;
    return options;
  }

  static std::string KeyOf(const std::string& first, std::uint64_t i) {
    return first + std::to_string(1000 + i);
  }
  void Fill(const std::string& first, const std::string& value) {
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      store_.Put(KeyOf(first, i), value);
      expected_[KeyOf(first, i)] = value;
    }
    store_.Flush();
    EXPECT_TRUE(store_->WaitForQuiet().ok());
  }

  // Opens it, and waits until the merge has begun, which then stands still.
  void OpenAndHold() {
    store_.env().HoldCreate(".ldb");
    store_.Open();
    ASSERT_TRUE(ComesTrue([&] { return store_.env().is_holding(); }));
  }

  // Makes four tables of level 0, which is one to compact.
  void FillLevel0(const std::string& first, const std::string& value) {
    for (std::uint64_t table = 0; table < 4; ++table) {
      for (std::uint64_t i = 0; i < kKeys; ++i) {
        store_.Put(KeyOf(first, i), value + std::to_string(table));
        expected_[KeyOf(first, i)] = value + std::to_string(table);
      }
      store_.Flush();
    }
  }

  void ExpectAll() {
    std::string all;
    for (const auto& [key, value] : expected_) {
      if (!all.empty()) all += ' ';
      all += key + "=" + value;
    }
    EXPECT_EQ(store_.All(), all);
  }
  void ReleaseAndExpectAll() {
    store_.env().ReleaseCreate();
    ASSERT_TRUE(store_->WaitForQuiet().ok());
    EXPECT_LT(store_.TablesAt(0), 4u);
    ExpectAll();
    store_.Reopen();
    ExpectAll();
  }

  TestStore store_;
  std::map<std::string, std::string> expected_;
};

TEST_F(CompactTwoThreads, Level0DoesNotWaitForAMergeBelow) {
  ASSERT_NO_FATAL_FAILURE(OpenAndHold());
  FillLevel0("a", "above");
  EXPECT_TRUE(ComesTrue([&] { return store_.TablesAt(0) == 0; }));
  EXPECT_TRUE(store_.env().is_holding());
  ExpectAll();
  ReleaseAndExpectAll();
}

TEST_F(CompactTwoThreads, Level0WaitsForAMergeOfTheSameKeys) {
  ASSERT_NO_FATAL_FAILURE(OpenAndHold());
  FillLevel0("b", "newest");
  EXPECT_EQ(store_.TablesAt(0), 4u);
  EXPECT_EQ(store_->Stats().compactions, 0u);
  ExpectAll();
  ReleaseAndExpectAll();
}

// A deletion may go only if there is nothing below that it hides, and what is
// below is being moved.
TEST_F(CompactTwoThreads, WhatIsDeletedMeanwhileStaysDeleted) {
  ASSERT_NO_FATAL_FAILURE(OpenAndHold());
  for (std::uint64_t i = 0; i < kKeys; i += 2) {
    store_.Delete(KeyOf("b", i));
    expected_.erase(KeyOf("b", i));
  }
  FillLevel0("a", "above");
  ExpectAll();
  ReleaseAndExpectAll();
}

TEST_F(CompactTwoThreads, WithOneThreadOneRunsAtATime) {
  store_.options().compaction_threads = 1;
  ASSERT_NO_FATAL_FAILURE(OpenAndHold());
  FillLevel0("a", "above");
  EXPECT_EQ(store_.TablesAt(0), 4u);
  EXPECT_EQ(store_->Stats().compactions, 0u);
  ReleaseAndExpectAll();
}

TEST_F(CompactTwoThreads, ARequestedCompactionWaitsForAllOthers) {
  ASSERT_NO_FATAL_FAILURE(OpenAndHold());
  FillLevel0("a", "above");
  std::thread asked([&] { store_.Compact(); });
  store_.env().ReleaseCreate();
  asked.join();
  ReleaseAndExpectAll();
}

TEST_F(CompactTwoThreads, ClosesWhileBothRun) {
  ASSERT_NO_FATAL_FAILURE(OpenAndHold());
  FillLevel0("a", "above");
  std::thread closing([&] { store_.Close(); });
  store_.env().ReleaseCreate();
  closing.join();
  store_.Open();
  ExpectAll();
}

}  // namespace
}  // namespace tamis::testing
