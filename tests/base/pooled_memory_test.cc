// SPDX-License-Identifier: Apache-2.0
#include "base/pooled_memory.h"

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

using Block = PooledBlock<unsigned char>;

constexpr std::size_t kBlockBytes = 100'000;

std::size_t SizeOf(const Block& block) { return block.get_deleter().bytes; }

Block Filled(std::size_t bytes, unsigned char with) {
  Block block = NewPooledMemory(bytes);
  if (block != nullptr) std::memset(block.get(), with, bytes);
  return block;
}

bool IsFilled(const Block& block, unsigned char with) {
  return std::all_of(block.get(), block.get() + SizeOf(block),
                     [with](unsigned char byte) { return byte == with; });
}

// Enough for the pool to be used.
std::vector<Block> FillUpToThePool() {
  std::vector<Block> blocks;
  for (std::size_t held = 0; held < kPoolFrom; held += kBlockBytes) {
    blocks.push_back(NewPooledMemory(kBlockBytes));
  }
  return blocks;
}

TEST(PooledMemory, AFewBlocksTakeNoHugePage) {
  ASSERT_EQ(PoolBytes(), 0u);
  const Block block = NewPooledMemory(kBlockBytes);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(PoolBytes(), 0u);
}

TEST(PooledMemory, BlocksOfAllSizesDoNotOverlap) {
  const std::vector<Block> before = FillUpToThePool();
  std::vector<Block> blocks;
  unsigned char with = 0;
  for (const std::size_t bytes :
       {0u, 1u, 4095u, 4096u, 4097u, 20'000u, 131'072u, 700'000u, 2'097'151u,
        2'097'152u, 5'000'000u}) {
    blocks.push_back(Filled(bytes, ++with));
    ASSERT_NE(blocks.back(), nullptr) << bytes;
    EXPECT_EQ(
        reinterpret_cast<std::uintptr_t>(blocks.back().get()) % kCacheLineBytes,
        0u);
  }
  with = 0;
  for (const Block& block : blocks) EXPECT_TRUE(IsFilled(block, ++with));
  EXPECT_EQ(PoolBytes() > 0, kMapsBlocks);
}

// What comes and goes as tables do finds room where others were, and all of it
// is the system's in the end.
TEST(PooledMemory, RoomIsUsedAgain) {
  const std::vector<Block> before = FillUpToThePool();
  std::mt19937 random(1);
  const auto some_bytes = [&] { return 4096 + random() % 600'000; };
  std::vector<std::pair<Block, unsigned char>> blocks;
  std::size_t held = 0;
  while (held < 30'000'000) {
    const auto with = static_cast<unsigned char>(random());
    blocks.emplace_back(Filled(some_bytes(), with), with);
    held += SizeOf(blocks.back().first);
  }
  const std::size_t at_first = PoolBytes();
  for (int i = 0; i < 1000; ++i) {
    auto& [block, with] = blocks[random() % blocks.size()];
    ASSERT_TRUE(IsFilled(block, with));
    with = static_cast<unsigned char>(random());
    block = nullptr;
    block = Filled(some_bytes(), with);
  }
  EXPECT_LE(PoolBytes(), at_first * 3 / 2);
  blocks.clear();
  EXPECT_EQ(PoolBytes(), 0u);
}

TEST(PooledMemory, ManyThreadsMayUseIt) {
  const std::vector<Block> before = FillUpToThePool();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      const auto with = static_cast<unsigned char>(t);
      std::vector<Block> blocks;
      for (std::size_t i = 0; i < 500; ++i) {
        blocks.push_back(Filled(4096 + 257 * i, with));
        if (i % 3 != 0) continue;
        const std::size_t which = i / 3 % blocks.size();
        EXPECT_TRUE(IsFilled(blocks[which], with));
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(which));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(PoolBytes(), 0u);
}

// In a process with other threads, one of which may be in the pool.
TEST(PooledMemory, AForkedChildCanUseIt) {
  if (!kMapsBlocks) {
    GTEST_SKIP() << "this build has no pool, and its malloc may be locked for "
                    "ever in a forked child";
  }
  const std::vector<Block> before = FillUpToThePool();
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) Filled(kBlockBytes, 1);
  });
  int children = 0, well = 0;
  for (; children < 100 && well == children; ++children) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(10);
      const Block block = Filled(kBlockBytes, 2);
      ::_exit(block != nullptr && IsFilled(block, 2) ? 0 : 1);
    }
    int how = -1;
    if (child > 0) ::waitpid(child, &how, 0);
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0) ++well;
  }
  stop = true;
  busy.join();
  EXPECT_EQ(well, 100) << "of " << children << " children";
}

TEST(PooledMemory, SaysSoWhenThereIsNone) {
  EXPECT_EQ(NewPooledMemory(~std::size_t{0}), nullptr);
  EXPECT_THROW(PooledVector<std::uint64_t>().reserve(std::size_t{1} << 59),
               std::bad_alloc);
}

}  // namespace
}  // namespace tamis
