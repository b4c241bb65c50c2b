// SPDX-License-Identifier: Apache-2.0
// Filters that an open store makes for tables with poor ones, while it is read
// and written.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter_files.h"
#include "tamis/store.h"
#include "tests/base/temp_dir.h"
#include "tests/store/filter_file_store.h"
#include "tests/store/stores.h"
#include "tests/support/in_child.h"

namespace tamis::testing {
namespace {

// A store of poor tables, opened with the option.
void OpenToMake(TestStore* store) {
  FillWithEven(store);
  store->Close();
  store->options() = GoodOptions(store->options());
  store->options().filter_files = true;
  store->Open();
}

TEST(FilterFilesBackground, MakesThoseOfTablesThatAreRead) {
  for (const FilterLoading loading :
       {FilterLoading::kWhenFirstAsked, FilterLoading::kAtOpening,
        FilterLoading::kInBackground}) {
    StoreOptions options = PoorOptions();
    options.leveldb_filter_bits = 0;  // lookups without a filter are counted
    options.filter_loading = loading;
    TestStore store(options);
    OpenToMake(&store);
    const std::uint64_t tables = store->Stats().levels[0].tables;
    ASSERT_TRUE(store->WaitForQuiet().ok());
    if (loading != FilterLoading::kAtOpening) {
      EXPECT_EQ(store->Stats().filter_files_made, 0u);
    }
    ExpectEven(&store);
    ASSERT_TRUE(store->WaitForQuiet().ok());
    EXPECT_EQ(store->Stats().filter_files_made, tables);
    EXPECT_EQ(store.Files(".filter").size(), tables);
    // They are used at once.
    const StoreStats before = store->Stats();
    EXPECT_LT(before.levels[0].filter_rate, 0.02);
    ExpectEven(&store);
    EXPECT_EQ(store->Stats().levels[0].unfiltered, before.levels[0].unfiltered);
    store.Reopen();
    ExpectEven(&store);
    ASSERT_TRUE(store->WaitForQuiet().ok());
    EXPECT_EQ(store->Stats().filter_files_made, 0u);
    store.Close();
    ExpectNoProblem(&store, tables);
  }
}

TEST(FilterFilesBackground, KeepsWithinTheMemoryForFilters) {
  for (const std::uint64_t limit : {0u, 500u, 2000u, 100'000u}) {
    StoreOptions options = PoorOptions();
    options.filter_memory_bytes = limit;
    TestStore store(options);
    OpenToMake(&store);
    ExpectEven(&store);
    ASSERT_TRUE(store->WaitForQuiet().ok());
    ExpectEven(&store);
    EXPECT_LE(store->Stats().filter_memory_held, limit);
    EXPECT_TRUE(limit > 0 || store.Files(".filter").empty());
    EXPECT_TRUE(limit < 50'000 || store->Stats().filter_files_made > 0);
  }
}

TEST(FilterFilesBackground, MakesNoneWhereNoneAreOfUse) {
  TestStore store(PoorOptions());
  FillWithEven(&store);
  store.Compact();
  store.Close();
  store.options() = GoodOptions(store.options());
  store.options().filter_files = true;
  for (const bool is_read_only : {false, true}) {
    store.options().read_only = is_read_only;
    store.options().expect_hits = !is_read_only;
    store.Open();
    ExpectEven(&store);
    ASSERT_TRUE(store->WaitForQuiet().ok());
    EXPECT_EQ(store->Stats().filter_files_made, 0u);
    store.Close();
  }
  store.options().read_only = false;
  store.options().expect_hits = false;
  store.options().filter_use = FilterUse::kOff;
  store.Open();
  ExpectEven(&store);
  ASSERT_TRUE(store->WaitForQuiet().ok());
  EXPECT_TRUE(store.Files(".filter").empty());
}

TEST(FilterFilesBackground, StopsWhenTheStoreIsClosed) {
  TestStore store(PoorOptions());
  OpenToMake(&store);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(store->Get(FilterFileKey(2 * i)).ok(), true);
    store.Reopen();
  }
  ExpectEven(&store);
  EXPECT_EQ(store->Stats().damaged_filters, 0u);
}

TEST(FilterFilesBackground, AForkedChildRemovesAndMakesNone) {
  const TempDir dir;
  const std::string path = dir.File("db");
  StoreOptions options = PoorOptions();
  options.create_if_missing = true;
  auto store = Store::Open(path, options);
  ASSERT_TRUE(store.ok());
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(store->Put({}, FilterFileKey(i), "v").ok());
  }
  ASSERT_TRUE(store->Flush().ok());
  store = Status::NotFound("closed");
  options = GoodOptions(options);
  const auto made = MakeFilterFiles(path, options);
  ASSERT_TRUE(made.ok() && made->made == 1);
  options.filter_files = true;
  store = Store::Open(path, options);
  ASSERT_TRUE(store.ok() && store->Get(FilterFileKey(7)).ok());
  ASSERT_TRUE(store->WaitForQuiet().ok());
  EXPECT_EQ(InChild([&] {
              const bool is_found = store->Get(FilterFileKey(8)).ok();
              store = Status::NotFound("closed");
              return is_found ? 0 : 1;
            }),
            0);
  const auto names = DefaultEnv().List(path);
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(
      std::count_if(names->begin(), names->end(),
                    [](const auto& name) { return name.ends_with(".filter"); }),
      1);
  EXPECT_TRUE(store->Get(FilterFileKey(9)).ok());
}

// Lookups, writes, compactions and changes of the limit, while filters are made
// and tables come and go.
TEST(FilterFilesThreads, AnswerRightWhileFiltersAreReplaced) {
  StoreOptions options = PoorOptions();
  options.filter_loading = FilterLoading::kInBackground;
  TestStore store(options);
  OpenToMake(&store);
  std::atomic<bool> is_over{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&, reader] {
      for (int i = reader; !is_over; i = (i + 7) % kFilterFileNumbers) {
        const bool found = store->Get(FilterFileKey(i)).ok();
        if (found != (i % 2 == 0)) ++wrong;
      }
    });
  }
  for (int round = 0; round < 6; ++round) {
    EXPECT_TRUE(store->WaitForQuiet().ok());
    EXPECT_TRUE(store
                    ->SetFilterMemory(round % 2 == 0
                                          ? std::optional<std::uint64_t>(2000)
                                          : std::nullopt)
                    .ok());
    for (int i = 0; i < 100; i += 2) store.Put(FilterFileKey(i), "w");
    store.Flush();
    if (round == 3) store.Compact();
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  ExpectEven(&store);
}

}  // namespace
}  // namespace tamis::testing
