// SPDX-License-Identifier: Apache-2.0
// base/chunk_stock.h -- chunks of memory that one arena has left to the next.
// The system clears every page that it gives, which takes longer than to fill
// it.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/huge_pages.h"
#include "base/mutex.h"

namespace tamis {

// Thread-safe.  All chunks are of the same size, which is the callers' matter.
class ChunkStock {
 public:
  using Chunk = MemoryBlock<unsigned char>;

  // Keeps at most so many.  Throws std::bad_alloc.
  explicit ChunkStock(std::size_t most) { chunks_.reserve(most); }
  ChunkStock(const ChunkStock&) = delete;
  ChunkStock& operator=(const ChunkStock&) = delete;

  // Null: there is none.
  Chunk Take() noexcept TAMIS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (chunks_.empty()) return nullptr;
    Chunk chunk = std::move(chunks_.back());
    chunks_.pop_back();
    return chunk;
  }
  // Frees the chunk if there are enough.
  void Keep(Chunk chunk) noexcept TAMIS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (chunks_.size() == chunks_.capacity()) return;
    chunks_.push_back(std::move(chunk));
  }
  void FreeAll() noexcept TAMIS_EXCLUDES(mutex_) {
    while (Take() != nullptr) continue;
  }
  bool is_empty() const noexcept TAMIS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return chunks_.empty();
  }

 private:
  mutable Mutex mutex_;
  std::vector<Chunk> chunks_ TAMIS_GUARDED_BY(mutex_);
};

}  // namespace tamis
