// SPDX-License-Identifier: Apache-2.0
// What background threads do ahead, so that readers and writers need not wait.

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/huge_pages.h"
#include "tamis/store.h"
#include "tests/base/temp_dir.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::ComesTrue;
using testing::NumberKey;
using testing::StillOptions;
using testing::TestStore;

std::string ValueOr(const Result<std::string>& got) {
  return got.ok() ? *got : got.status().ToString();
}

// No file can be opened or read any more, but a mapping can.
TEST(StoreAhead, TheFirstLookupFindsANewTableOpen) {
  TestStore store(StillOptions());
  ASSERT_TRUE(store->Put({}, "key", "value").ok());
  ASSERT_TRUE(store->Flush().ok());
  ASSERT_TRUE(store->WaitForQuiet().ok());  // files that are done with are gone
  store.env().FailCall(1, EIO, /*from_then_on=*/true);
  const Result<std::string> got = store->Get("key");
  EXPECT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(store->Get("other").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(store.env().failures(), 0u);
  store.env().Heal();
}

// A table that does not open at once is opened by the lookup that needs it.
TEST(StoreAhead, ATableThatCannotBeOpenedAheadIsOpenedLater) {
  TestStore store(StillOptions());
  ASSERT_TRUE(store->Put({}, "key", "value").ok());
  store.env().FailCall(1, EIO, /*from_then_on=*/true, testing::kOpenCalls);
  ASSERT_TRUE(store->Flush().ok());
  EXPECT_GT(store.env().failures(), 0u);
  EXPECT_FALSE(store->Get("key").ok());
  store.env().Heal();
  EXPECT_EQ(ValueOr(store->Get("key")), "value");
}

#if defined(__linux__)

std::uint64_t OwnMemoryKib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoull(line.substr(8));
  }
  return 0;
}

// While there are writes, the memory of a memtable that was flushed is kept for
// the next; then the system has it again.
TEST(StoreAhead, AQuietStoreKeepsNoMemoryForMemtables) {
  if (!kMapsBlocks) GTEST_SKIP() << "with the address sanitizer, none is kept";
  StoreOptions options = StillOptions();
  options.write_buffer_bytes = std::size_t{16} << 20;
  TestStore store(options);
  const std::string value(1000, 'v');
  const std::uint64_t before = OwnMemoryKib();
  for (std::uint64_t i = 0; i < 12'000; ++i) {
    ASSERT_TRUE(store->Put({}, NumberKey(i), value).ok());
  }
  ASSERT_GT(OwnMemoryKib(), before + 10'000);
  ASSERT_TRUE(store->Flush().ok());
  // The tables of this store are in memory, too.
  const std::uint64_t flushed = OwnMemoryKib();
  EXPECT_TRUE(ComesTrue([&] { return OwnMemoryKib() + 8'000 < flushed; }))
      << before << " KiB, then " << flushed << ", then " << OwnMemoryKib();
}

#endif

std::uint64_t BytesOfLogs(const std::string& dir) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    if (entry.path().extension() == ".log") bytes += entry.file_size();
  }
  return bytes;
}

TEST(StoreAhead, SpaceForTheLogIsThereBeforeItIsNeeded) {
  const TempDir dir;
  StoreOptions options;
  options.create_if_missing = true;
  auto store = Store::Open(dir.File("db"), options);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  const std::string value(100, 'v');
  constexpr std::uint64_t kEntries = 3000;
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    ASSERT_TRUE((*store)->Put({}, NumberKey(i), value).ok());
  }
  // Without it the file would be half as long as that.
  EXPECT_TRUE(ComesTrue(
      [&] { return BytesOfLogs(dir.File("db")) > (std::uint64_t{1} << 20); }));
  (*store).reset();
  EXPECT_LT(BytesOfLogs(dir.File("db")), std::uint64_t{1} << 20);
  store = Store::Open(dir.File("db"), options);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    EXPECT_EQ(ValueOr((*store)->Get(NumberKey(i))), value) << i;
  }
}

TEST(StoreAhead, ANicenessIsNotNegative) {
  StoreOptions options = StillOptions();
  options.background_niceness = -1;
  options.create_if_missing = true;
  const TempDir dir;
  EXPECT_EQ(Store::Open(dir.File("db"), options).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tamis
