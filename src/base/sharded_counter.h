// SPDX-License-Identifier: Apache-2.0
// base/sharded_counter.h -- a counter that many threads add to without
// getting in each other's way.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tamis {

class ShardedCounter {
 public:
  void Add(std::uint64_t amount) noexcept {
    shards_[ShardOfThisThread()].count.fetch_add(amount,
                                                 std::memory_order_relaxed);
  }

  // Returns the sum of all that was added before the call, and perhaps some of
  // what is added meanwhile.
  std::uint64_t Sum() const noexcept {
    std::uint64_t sum = 0;
    for (const Shard& shard : shards_) {
      sum += shard.count.load(std::memory_order_relaxed);
    }
    return sum;
  }

 private:
  static constexpr std::size_t kShards = 16;
  struct alignas(64) Shard {  // a cache line each
    std::atomic<std::uint64_t> count{0};
  };

  static std::size_t ShardOfThisThread() noexcept {
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t shard =
        threads.fetch_add(1, std::memory_order_relaxed) % kShards;
    return shard;
  }

  std::array<Shard, kShards> shards_;
};

}  // namespace tamis
