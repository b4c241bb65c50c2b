// SPDX-License-Identifier: Apache-2.0
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

void ExpectOk(const Status& status) {
  EXPECT_TRUE(status.ok()) << status.ToString();
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
    ExpectOk(store->Put({}, "large", value));
    ExpectOk(store->Put({}, "small", "beside it"));
  }
  std::string got;
  ExpectOk(store->Flush());
  ExpectOk(store->Get({}, "large", &got));
  EXPECT_TRUE(got == LargeValue());
  ExpectOk(store->Put({}, "large0", "so that there is a merge"));
  ExpectOk(store->Put({}, "a", "and that overlaps"));
  ExpectOk(store->Put({}, "z", "both"));
  ExpectOk(store->Compact());
  got.clear();
  ExpectOk(store->Get({}, "large", &got));
  EXPECT_TRUE(got == LargeValue());
  got = {};
  const auto it = store->NewIterator();
  std::uint64_t bytes = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) bytes += it->value().size();
  EXPECT_TRUE(it->status().ok());
  EXPECT_GT(bytes, kGiB);
  EXPECT_LT(bytes, kGiB + 100);
}

// Or the store could never flush what is in its log.
TEST(StoreLarge, RefusesWhatNoTableCanHold) {
  const TempDir dir;
  StoreOptions options;
  options.create_if_missing = true;
  const auto store = Store::Open(dir.File("db"), options);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  const std::string much(2 * kGiB + 1, 'v');
  EXPECT_EQ(store->Put({}, "a", much).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(store->Delete({}, much).code(), StatusCode::kInvalidArgument);
  WriteBatch batch;
  batch.Put("a", much);
  EXPECT_EQ(store->Write({}, batch).code(), StatusCode::kInvalidArgument);
  std::string value;
  EXPECT_EQ(store->Get({}, "a", &value).code(), StatusCode::kNotFound);
  ExpectOk(store->Put({}, "a", "small"));
  ExpectOk(store->Flush());
}

}  // namespace
}  // namespace tamis
