// SPDX-License-Identifier: Apache-2.0
// filters/bloom/block_locks.h -- locks for the blocks of a filter that many
// threads mark.
//
// One lock costs as much as one atomic operation on a bit, and a key has some
// six bits.  A thread that has the lock of a block sets them by plain stores.
// There are so many locks that two threads hardly ever meet at one.

#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

#include "base/owner_process.h"

namespace tamis {

class BlockLocks {
  using Byte = std::atomic<std::uint8_t>;

 public:
  // 64 KiB, which stay in a second-level cache.  With fewer, the caches of two
  // threads pass more of their lines to and fro.
  static constexpr std::uint64_t kMaxLocks = std::uint64_t{1} << 16;

  // Throws std::bad_alloc.  REQUIRES: blocks > 0
  explicit BlockLocks(std::uint64_t blocks)
      : mask_(std::bit_ceil(std::min(blocks, kMaxLocks)) - 1),
        locks_(std::make_unique<Byte[]>(static_cast<std::size_t>(mask_ + 1))) {}

  // Holds a lock while it lives.
  class Guard {
   public:
    explicit Guard(Byte& lock) noexcept : lock_(lock) {}
    ~Guard() { lock_.store(0, std::memory_order_release); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    Byte& lock_;
  };

  // Waits while another thread holds the lock of this block, or of one that
  // shares it.  REQUIRES: this thread holds none.
  [[nodiscard]] Guard Lock(std::uint64_t block) const noexcept {
    Byte& lock = locks_[static_cast<std::size_t>(block & mask_)];
    // A lock that was held when the process was forked has the number of the
    // parent in the child, where nobody will release it: it counts as free.
    const auto holder = static_cast<std::uint8_t>(
        1 + std::min<std::uint32_t>(process_.ForksSince(), kMaxForks));
    if (lock.exchange(holder, std::memory_order_acquire) == holder) [[unlikely]]
      Wait(lock, holder);
    return Guard(lock);
  }

 private:
  static constexpr std::uint32_t kMaxForks = 254;

  static void Wait(Byte& lock, std::uint8_t holder) noexcept {
    // What a holder does takes some nanoseconds, unless the system has taken
    // its processor away.
    constexpr unsigned kSpins = 100;
    constexpr unsigned kYields = 100;
    for (unsigned i = 1;; ++i) {
      if (i > kSpins * kYields) {
        // Yielding does not help a holder of lower priority.
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      } else if (i % kSpins == 0) {
        std::this_thread::yield();
      }
      if (lock.load(std::memory_order_relaxed) != holder &&
          lock.exchange(holder, std::memory_order_acquire) != holder) {
        return;
      }
    }
  }

  const std::uint64_t mask_;
  const std::unique_ptr<Byte[]> locks_;
  const OwnerProcess process_;
};

}  // namespace tamis
