// SPDX-License-Identifier: Apache-2.0
// base/arena.h -- memory for many small objects that are freed together.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/chunk_stock.h"
#include "base/huge_pages.h"

namespace tamis {

// Only one thread may allocate at a time; any thread may call bytes(), and one
// thread at a time PrepareChunk().  Memory stays valid until the arena is
// destroyed.
class Arena {
 public:
  static constexpr std::size_t kAlignment = 8;
  // A chunk is twice as large as the one before it, up to a size that takes
  // whole huge pages.
  static constexpr std::size_t kFirstChunkBytes = 4096;
  static constexpr std::size_t kLargestChunkBytes = 2 * kHugePageBytes;

  // The stock, which may be null, has chunks of kLargestChunkBytes.
  explicit Arena(std::shared_ptr<ChunkStock> stock = nullptr) noexcept
      : stock_(std::move(stock)) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Returns uninitialised memory, aligned to kAlignment.  Throws std::bad_alloc
  // if there is none; the arena is then as before.
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

  // Guarantees that the following allocations, up to so many bytes in total,
  // each rounded up to kAlignment, do not fail.  Throws std::bad_alloc like
  // Allocate().
  void Reserve(std::size_t bytes) {
    if (bytes > left_) ReserveElsewhere(bytes);
  }

  // Takes memory for a chunk of the largest size from the stock, or from the
  // system, in pages that are there, so that the thread that allocates need not
  // wait for them. Without memory, or if a chunk is ready already, nothing
  // happens.
  void PrepareChunk() noexcept;

  // Bytes that were allocated, including unused ends of chunks.
  std::size_t bytes() const noexcept {
    return bytes_.load(std::memory_order_relaxed);
  }

 private:
  char* AllocateElsewhere(std::size_t bytes);
  void ReserveElsewhere(std::size_t bytes);
  char* NewChunk(std::size_t bytes);
  // Null: none is prepared.
  MemoryBlock<unsigned char> TakeReady() noexcept {
    return {ready_.exchange(nullptr, std::memory_order_acquire),
            FreeMemoryOf(kLargestChunkBytes)};
  }
  void Count(std::size_t more) noexcept {
    bytes_.store(bytes() + more, std::memory_order_relaxed);
  }

  char* at_ = nullptr;
  std::size_t left_ = 0;
  // A chunk with free space, while another is used for a large allocation.
  char* spare_at_ = nullptr;
  std::size_t spare_left_ = 0;
  std::size_t next_chunk_bytes_ = kFirstChunkBytes;
  std::vector<MemoryBlock<unsigned char>> chunks_;
  std::atomic<std::size_t> bytes_ = 0;
  // A chunk of the largest size; null: none is prepared.
  std::atomic<unsigned char*> ready_ = nullptr;
  const std::shared_ptr<ChunkStock> stock_;
};

}  // namespace tamis
