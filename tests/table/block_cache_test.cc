// SPDX-License-Identifier: Apache-2.0
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "table/table_reader.h"
#include "tests/support/failing_new.h"

namespace tamis {
namespace {

std::shared_ptr<const std::string> BlockOf(std::size_t bytes, char fill) {
  return std::make_shared<const std::string>(bytes, fill);
}

TEST(BlockCache, GivesBackWhatWasPutIn) {
  const auto cache = NewBlockCache(1 << 20);
  const std::uint64_t a = cache->NewTableId();
  const std::uint64_t b = cache->NewTableId();
  EXPECT_NE(a, b);
  cache->Insert(a, 0, BlockOf(100, 'a'));
  cache->Insert(b, 0, BlockOf(100, 'b'));
  EXPECT_EQ(*cache->Find(a, 0), std::string(100, 'a'));
  EXPECT_EQ(*cache->Find(b, 0), std::string(100, 'b'));
  EXPECT_EQ(cache->Find(a, 1), nullptr);
  EXPECT_EQ(cache->hits(), 2u);
  EXPECT_EQ(cache->misses(), 1u);
}

TEST(BlockCache, ForgetsATableThatIsGone) {
  const auto cache = NewBlockCache(1 << 20);
  for (std::uint64_t offset = 0; offset < 100; ++offset) {
    cache->Insert(1, offset, BlockOf(10, 'x'));
    cache->Insert(2, offset, BlockOf(10, 'y'));
  }
  const std::uint64_t both = cache->bytes();
  cache->Forget(1);
  EXPECT_EQ(cache->bytes(), both / 2);
  for (std::uint64_t offset = 0; offset < 100; ++offset) {
    EXPECT_EQ(cache->Find(1, offset), nullptr);
    EXPECT_NE(cache->Find(2, offset), nullptr);
  }
}

// Whichever allocation fails, the cache goes on as if the block had never come.
TEST(BlockCache, AnInsertWithoutMemoryLeavesItAsItWas) {
  constexpr std::size_t kCapacity = 1 << 16;
  const auto cache = NewBlockCache(kCapacity);
  int failed = 0;
  for (std::uint64_t offset = 0; offset < 3000; ++offset) {
    const auto block = BlockOf(300, 'x');
    const std::uint64_t before = cache->bytes();
    testing::FailAllocations(static_cast<int>(offset % 3), 1);
    try {
      const testing::FaultScope faulty;
      cache->Insert(1, offset, block);
    } catch (const std::bad_alloc&) {
      ++failed;
      EXPECT_EQ(cache->bytes(), before);
      EXPECT_EQ(cache->Find(1, offset), nullptr);
    }
    testing::FailAllocations(0, 0);
    ASSERT_LE(cache->bytes(), kCapacity);
  }
  EXPECT_GT(failed, 1000);
  cache->Forget(1);
  EXPECT_EQ(cache->bytes(), 0u);
}

TEST(BlockCache, StaysWithinItsBytes) {
  constexpr std::size_t kCapacity = 1 << 18;
  const auto cache = NewBlockCache(kCapacity);
  for (std::uint64_t offset = 0; offset < 2000; ++offset) {
    cache->Insert(1, offset, BlockOf(1000, 'x'));
    EXPECT_LE(cache->bytes(), kCapacity);
  }
  EXPECT_GT(cache->bytes(), kCapacity * 3 / 4);
  cache->Insert(1, 5000, BlockOf(kCapacity, 'x'));
  EXPECT_EQ(cache->Find(1, 5000), nullptr) << "larger than there is room";
}

TEST(BlockCache, KeepsWhatIsUsed) {
  const auto cache = NewBlockCache(1 << 18);
  cache->Insert(1, 0, BlockOf(1000, 'k'));
  for (std::uint64_t offset = 1; offset < 2000; ++offset) {
    cache->Insert(1, offset, BlockOf(1000, 'x'));
    ASSERT_NE(cache->Find(1, 0), nullptr) << offset;
  }
  EXPECT_EQ(cache->Find(1, 1), nullptr);
}

TEST(BlockCache, LetsGoOfABlockWithoutTakingItFromItsReader) {
  const auto cache = NewBlockCache(1 << 16);
  cache->Insert(1, 0, BlockOf(1000, 'k'));
  const auto held = cache->Find(1, 0);
  for (std::uint64_t offset = 1; offset < 1000; ++offset) {
    cache->Insert(1, offset, BlockOf(1000, 'x'));
  }
  EXPECT_EQ(cache->Find(1, 0), nullptr);
  EXPECT_EQ(*held, std::string(1000, 'k'));
}

TEST(BlockCacheThreads, MayAllUseItAtOnce) {
  const auto cache = NewBlockCache(1 << 17);
  std::vector<std::thread> threads;
  for (std::uint64_t table = 0; table < 4; ++table) {
    threads.emplace_back([&cache, table] {
      for (std::uint64_t i = 0; i < 3000; ++i) {
        const std::uint64_t offset = i * 7 % 200;
        const auto found = cache->Find(table % 2, offset);
        if (found == nullptr) {
          cache->Insert(table % 2, offset, BlockOf(1000 + offset, 'x'));
        } else {
          EXPECT_EQ(found->size(), 1000 + offset);
        }
        if (i % 500 == 0) cache->Forget(table % 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cache->hits() + cache->misses(), 12000u);
}

}  // namespace
}  // namespace tamis
