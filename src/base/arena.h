// SPDX-License-Identifier: Apache-2.0
// base/arena.h -- memory for many small things that are given back together.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/huge_pages.h"

namespace tamis {

// One thread allocates at a time; bytes() may be asked by any.  What was
// allocated stays where it is until the arena is destroyed.
class Arena {
 public:
  static constexpr std::size_t kAlignment = 8;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Uninitialised, aligned to kAlignment.  Throws std::bad_alloc: no memory;
  // the arena is then as before.
  char* Allocate(std::size_t bytes) {
    const std::size_t rounded =
        (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (rounded > left_ || rounded < bytes) return AllocateElsewhere(bytes);
    char* const start = at_;
    at_ += rounded;
    left_ -= rounded;
    Count(rounded);
    return start;
  }

  // The allocations that follow, up to so many bytes in all, each rounded up to
  // kAlignment, will not fail.  Throws std::bad_alloc: as Allocate().
  void Reserve(std::size_t bytes) {
    if (bytes > left_) ReserveElsewhere(bytes);
  }

  // What was handed out, and what was left over at the ends of chunks.
  std::size_t bytes() const noexcept {
    return bytes_.load(std::memory_order_relaxed);
  }

 private:
  // A chunk is twice as large as the one before it, up to a size that takes
  // whole huge pages.
  static constexpr std::size_t kFirstChunkBytes = 4096;
  static constexpr std::size_t kLargestChunkBytes = 2 * kHugePageBytes;

  char* AllocateElsewhere(std::size_t bytes);
  void ReserveElsewhere(std::size_t bytes);
  char* NewChunk(std::size_t bytes);
  void Count(std::size_t more) noexcept {
    bytes_.store(bytes() + more, std::memory_order_relaxed);
  }

  char* at_ = nullptr;
  std::size_t left_ = 0;
  // A chunk that has more to give, while another is used up for something
  // large.
  char* spare_at_ = nullptr;
  std::size_t spare_left_ = 0;
  std::size_t next_chunk_bytes_ = kFirstChunkBytes;
  std::vector<MemoryBlock<unsigned char>> chunks_;
  std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace tamis
