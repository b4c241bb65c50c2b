// SPDX-License-Identifier: Apache-2.0
// Tables that a thread of the store loads, while lookups do without.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/temp_dir.h"
#include "tests/store/gate_env.h"
#include "tests/store/stores.h"
#include "tests/store/table_parts.h"
#include "tests/support/in_child.h"

namespace tamis::testing {
namespace {

StoreOptions BackgroundOptions() {
  StoreOptions options = StillOptions();
  options.filter_loading = FilterLoading::kInBackground;
  return options;
}

// Three tables of level 0, each with every third of 300 even numbers.
void FillThree(TestStore* store) {
  for (unsigned table = 0; table < 3; ++table) {
    for (unsigned i = table; i < 300; i += 3) {
      store->Put(NumberKey(2 * i), std::to_string(i));
    }
    store->Flush();
  }
}

void ExpectAnswers(TestStore* store) {
  for (unsigned i = 0; i < 600; ++i) {
    ASSERT_EQ(store->Get(NumberKey(i)),
              i % 2 == 0 ? std::to_string(i / 2) : "(none)");
  }
}

TEST(StoreBackgroundLoading, LookupsAnswerBeforeAndAfter) {
  TestStore store(BackgroundOptions());
  FillThree(&store);
  for (int round = 0; round < 20; ++round) {
    store.Reopen();
    ExpectAnswers(&store);
    ASSERT_TRUE(store->WaitForQuiet().ok());
    const StoreStats before = store->Stats();
    EXPECT_EQ(before.levels[0].filters_loaded, 3u);
    ExpectAnswers(&store);
    // From now on all filters are asked.
    EXPECT_EQ(store->Stats().levels[0].unfiltered, before.levels[0].unfiltered);
  }
}

TEST(StoreBackgroundLoading, LoadsOnlyWhatIsRead) {
  TestStore store(BackgroundOptions());
  store.Put("a", "1");
  store.Flush();
  store.Put("b", "1");
  store.Flush();
  store.Reopen();
  ASSERT_TRUE(store->WaitForQuiet().ok());
  EXPECT_EQ(store->Stats().levels[0].filters_loaded, 0u);
  EXPECT_EQ(store.Get("b"), "1");
  ASSERT_TRUE(store->WaitForQuiet().ok());
  EXPECT_EQ(store->Stats().levels[0].filters_loaded, 1u);
}

TEST(StoreBackgroundLoading, MultiGetAnswersTheSame) {
  TestStore store(BackgroundOptions());
  FillThree(&store);
  std::vector<std::string> keys;
  for (unsigned i = 0; i < 600; ++i) keys.push_back(NumberKey(i));
  const std::vector<Slice> asked(keys.begin(), keys.end());
  for (int round = 0; round < 20; ++round) {
    store.Reopen();
    std::vector<std::string> values(keys.size());
    std::vector<Status> statuses(keys.size());
    store->MultiGet({}, asked, values, statuses);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(statuses[i].ok(), i % 2 == 0);
      if (i % 2 == 0) {
        ASSERT_EQ(values[i], std::to_string(i / 2));
      }
    }
  }
}

TEST(StoreBackgroundLoading, ClosingDoesNotWaitForWhatIsRequested) {
  TestStore store(BackgroundOptions());
  FillThree(&store);
  for (int round = 0; round < 50; ++round) {
    store.Reopen();
    EXPECT_EQ(store.Get(NumberKey(2)), "1");
  }
}

// A filter that is read while a compaction removes its table is not held for an
// iterator that still has the table: nobody could drop it again.
TEST(StoreBackgroundLoading, OfATableThatIsRemovedMeanwhileHoldsNothing) {
  MemoryEnv memory;
  GateEnv gate(memory);
  StoreOptions options = BackgroundOptions();
  options.create_if_missing = true;
  options.env = &gate;
  options.filter_memory_bytes = 1'000'000;
  const auto open = [&] { return *Store::Open(kDir, options); };
  {
    const std::unique_ptr<Store> store = open();
    for (int table = 0; table < 2; ++table) {
      ASSERT_TRUE(store->Put({}, "key", "value").ok());
      ASSERT_TRUE(store->Flush().ok());
    }
  }
  std::map<std::string, std::uint64_t> filters;  // where they are
  for (const auto& [path, bytes] : FilesOf(&memory)) {
    if (!path.ends_with(".ldb")) continue;
    filters[path] = PartsOf(&memory, path).own_filter.offset;
  }
  ASSERT_EQ(filters.size(), 2u);
  const std::unique_ptr<Store> store = open();
  const auto it = store->NewIterator();
  gate.CloseFor([&](const std::string& path, std::uint64_t offset) {
    const auto found = filters.find(path);
    return found != filters.end() && found->second == offset;
  });
  std::string value;
  ASSERT_TRUE(store->Get({}, "key", &value).ok());
  ASSERT_TRUE(gate.WaitForReader());
  ASSERT_TRUE(store->Compact().ok());
  ASSERT_TRUE(store->SetFilterMemory(900'000).ok());
  gate.OpenGate();
  ASSERT_TRUE(store->WaitForQuiet().ok());
  const Status changed = store->SetFilterMemory(0);
  EXPECT_TRUE(changed.ok()) << changed.ToString();
  EXPECT_EQ(store->Stats().filter_memory_held, 0u);
  EXPECT_FALSE(gate.was_forced());
}

TEST(StoreBackgroundLoading, ADamagedFilterIsReportedAndHidesNothing) {
  StoreOptions options = BackgroundOptions();
  options.compression = Compression::kNone;
  TestStore store(options);
  FillThree(&store);
  store.Close();
  for (const std::string& path : store.Files(".ldb")) {
    std::string bytes = store.env().Contents(path);
    const std::size_t at = bytes.find("\x89TAMIS");
    ASSERT_NE(at, std::string::npos);
    bytes[at + 70] = static_cast<char>(bytes[at + 70] ^ 0x55);
    store.env().SetContents(path, bytes);
  }
  store.Open();
  ExpectAnswers(&store);
  ASSERT_TRUE(store->WaitForQuiet().ok());
  ExpectAnswers(&store);
  EXPECT_EQ(store->Stats().damaged_filters, 3u);
}

TEST(StoreBackgroundLoading, AMissingTableIsAnErrorAndNotAMissingKey) {
  TestStore store(BackgroundOptions());
  FillThree(&store);
  store.Reopen();  // the tables that were just written are open
  for (const std::string& path : store.Files(".ldb")) {
    ASSERT_TRUE(store.env().Remove(path).ok());
  }
  EXPECT_NE(store.Get(NumberKey(1)), "(none)");
}

// A child has no thread that loads, and reads all the same.
TEST(StoreBackgroundLoading, AForkedChildReads) {
  const TempDir dir;
  StoreOptions options = BackgroundOptions();
  options.create_if_missing = true;
  auto store = Store::Open(dir.File("db"), options);
  ASSERT_TRUE(store.ok());
  for (unsigned i = 0; i < 300; ++i) {
    ASSERT_TRUE((*store)->Put({}, NumberKey(i), "value").ok());
  }
  ASSERT_TRUE((*store)->Flush().ok());
  EXPECT_TRUE((*store)->Get(NumberKey(5)).ok());
  EXPECT_EQ(InChild([&] {
              for (unsigned i = 0; i < 300; ++i) {
                if (!(*store)->Get(NumberKey(i)).ok()) return 1;
              }
              return (*store)->Get("none").status().code() ==
                             StatusCode::kNotFound
                         ? 0
                         : 2;
            }),
            0);
}

}  // namespace
}  // namespace tamis::testing
