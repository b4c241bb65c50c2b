// SPDX-License-Identifier: Apache-2.0
#include "filters/bloom/block_locks.h"

#include <sys/wait.h>
#include <unistd.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(BlockLocks, OneThreadAtATimeHoldsTheLockOfABlock) {
  constexpr unsigned kThreads = 4;
  constexpr unsigned kTimes = 2000;
  constexpr std::uint64_t kBlocks = 3;
  const BlockLocks locks(kBlocks);
  std::uint64_t counts[kBlocks] = {};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (unsigned i = 0; i < kTimes; ++i) {
        for (std::uint64_t block = 0; block < kBlocks; ++block) {
          const auto guard = locks.Lock(block);
          const std::uint64_t before = counts[block];
          // So that others run while it is held.
          if (i % 8 == 0) std::this_thread::yield();
          counts[block] = before + 1;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t count : counts) EXPECT_EQ(count, kThreads * kTimes);
}

TEST(BlockLocks, ManyBlocksShareLocks) {
  const BlockLocks locks(5 * BlockLocks::kMaxLocks + 1);
  for (std::uint64_t block = 0; block <= 5 * BlockLocks::kMaxLocks;
       block += 1023) {
    const auto guard = locks.Lock(block);
  }
}

// Nobody in the child would ever release what a thread of the parent held.
TEST(BlockLocks, AForkedChildDoesNotWaitForThreadsOfItsParent) {
  const BlockLocks locks(64);
  const auto held = locks.Lock(7);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(60);  // ends the child if it waits
    for (unsigned i = 0; i < 2; ++i) {
      const auto guard = locks.Lock(7);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace tamis
