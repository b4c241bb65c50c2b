// SPDX-License-Identifier: Apache-2.0
#include "base/chunked_array.h"

#include <gtest/gtest.h>

#include "tests/support/failing_new.h"

namespace tamis {
namespace {

// First the chunk, then its place in the list: neither failing may leave a
// trace.
TEST(ChunkedArray, IsAsBeforeWhenMemoryRunsOut) {
  for (int succeed : {0, 1}) {
    ChunkedArray<std::uint64_t> array;
    for (std::uint64_t i = 0; i < 256; ++i) ASSERT_TRUE(array.PushBack(i));
    testing::AllowAllocations(succeed);
    const bool pushed = array.PushBack(256);
    testing::AllowAllocations(-1);
    EXPECT_FALSE(pushed) << succeed;
    EXPECT_EQ(array.size(), 256u);
    EXPECT_EQ(array.back(), 255u);
    EXPECT_EQ(array.chunk_count(), 1u);
    EXPECT_TRUE(array.PushBack(256));
    EXPECT_EQ(array.back(), 256u);
    EXPECT_EQ(array.chunk(1).size(), 1u);
  }
}

TEST(ChunkedArray, KeepsWhatWasPushedInOrder) {
  ChunkedArray<std::uint32_t> array;
  EXPECT_TRUE(array.empty());
  EXPECT_EQ(array.chunk_count(), 0u);
  constexpr std::uint32_t kItems = 700'000;  // several chunks of each size
  for (std::uint32_t i = 0; i < kItems; ++i) {
    ASSERT_TRUE(array.PushBack(i * 3));
    ASSERT_EQ(array.back(), i * 3);
    ASSERT_EQ(array.size(), i + 1);
  }
  EXPECT_GT(array.chunk_count(), 3u);
  std::uint32_t next = 0;
  for (std::size_t c = 0; c < array.chunk_count(); ++c) {
    for (std::uint32_t value : array.chunk(c)) ASSERT_EQ(value, next++ * 3);
  }
  EXPECT_EQ(next, kItems);
}

TEST(ChunkedArray, LastChunkShowsOnlyWhatIsUsed) {
  ChunkedArray<int> array;
  ASSERT_TRUE(array.PushBack(7));
  ASSERT_EQ(array.chunk_count(), 1u);
  EXPECT_EQ(array.chunk(0).size(), 1u);
}

}  // namespace
}  // namespace tamis
