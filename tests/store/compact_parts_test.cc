// SPDX-License-Identifier: Apache-2.0
// A large compaction is merged in ranges of keys, each by a thread of its own.

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis::testing {
namespace {

constexpr int kMergedEntries = 20'000;

std::string MergedKey(int i) {
  return "key" + NumberKey(static_cast<std::uint64_t>(i));
}

// Half of them deleted, in tables that all span the whole range.
void FillAndDeleteHalf(TestStore* store) {
  const std::string value(1000, 'v');
  for (int first = 0; first < 4; ++first) {
    for (int i = first; i < kMergedEntries; i += 4) {
      ASSERT_TRUE((*store)->Put({}, MergedKey(i), value + MergedKey(i)).ok());
    }
    ASSERT_TRUE((*store)->Flush().ok());
  }
  for (int i = 0; i < kMergedEntries; i += 2) {
    ASSERT_TRUE((*store)->Delete({}, MergedKey(i)).ok());
  }
}

std::uint64_t TablesAfterCompaction(unsigned threads) {
  StoreOptions options = StillOptions();
  options.compaction_threads = threads;
  options.compression = Compression::kNone;
  options.table_bytes = std::uint64_t{1} << 30;  // so one per range
  TestStore store(options);
  FillAndDeleteHalf(&store);
  EXPECT_TRUE(store->Compact().ok());

  int next = 1;
  const auto entries = store->NewIterator();
  for (entries->SeekToFirst(); entries->Valid(); entries->Next(), next += 2) {
    EXPECT_EQ(entries->key(), MergedKey(next));
  }
  EXPECT_TRUE(entries->status().ok());
  EXPECT_EQ(next, kMergedEntries + 1);
  std::string value;
  EXPECT_TRUE(store->Get({}, MergedKey(4711), &value).ok());
  EXPECT_FALSE(store->Get({}, MergedKey(4712), &value).ok());
  const Result<CheckReport> report =
      CheckStore(TestStore::dir(), store.options());
  EXPECT_TRUE(report.ok() && report->problems.empty());
  EXPECT_EQ(store->Stats().levels[0].tables, 0u);
  return store->Stats().levels[1].tables;
}

TEST(CompactionInPartsThreads, EachThreadMergesARangeOfItsOwn) {
  EXPECT_EQ(TablesAfterCompaction(1), 1u);
  EXPECT_EQ(TablesAfterCompaction(2), 2u);
  EXPECT_EQ(TablesAfterCompaction(4), 4u);
}

}  // namespace
}  // namespace tamis::testing
