// A value of 1 GiB, through every part of a store.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/base/temp_dir.h"

namespace tamis {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;

// Not the same everywhere, and quickly made and checked.
std::string LargeValue() {
  std::string value(kGiB, 'v');
  for (std::size_t i = 0; i < kGiB; i += 4096) {
    value[i] = static_cast<char>(i >> 12);
    value[i + 1] = static_cast<char>(i >> 20);
  }
  return value;
}

TEST(StoreLarge, KeepsAValueOfOneGiB) {
  const TempDir dir;
  StoreOptions options;
  options.create_if_missing = true;
  options.compression = Compression::kNone;
  auto opened = Store::Open(dir.File("db"), options);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  std::unique_ptr<Store> store = *std::move(opened);
  {
    const std::string value = LargeValue();
    ASSERT_TRUE(store->Put({}, "large", value).ok());
    ASSERT_TRUE(store->Put({}, "small", "beside it").ok());
  }
  std::string got;
  ASSERT_TRUE(store->Flush().ok());
  ASSERT_TRUE(store->Get({}, "large", &got).ok());
  EXPECT_TRUE(got == LargeValue());
  ASSERT_TRUE(store->Put({}, "large0", "so that there is a merge").ok());
  ASSERT_TRUE(store->Put({}, "a", "and that overlaps").ok());
  ASSERT_TRUE(store->Put({}, "z", "both").ok());
  ASSERT_TRUE(store->Compact().ok());
  got.clear();
  ASSERT_TRUE(store->Get({}, "large", &got).ok());
  EXPECT_TRUE(got == LargeValue());
  got = {};
  const auto it = store->NewIterator();
  std::uint64_t bytes = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) bytes += it->value().size();
  EXPECT_TRUE(it->status().ok());
  EXPECT_GT(bytes, kGiB);
  EXPECT_LT(bytes, kGiB + 100);
}

}  // namespace
}  // namespace tamis
