// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "base/growing_pages.h"
#include "base/thread_priority.h"

namespace tamis {

Arena::~Arena() {
  MemoryBlock<unsigned char> ready = TakeReady();
  if (stock_ == nullptr) return;
  if (ready != nullptr) stock_->Keep(std::move(ready));
  for (MemoryBlock<unsigned char>& chunk : chunks_) {
    // Smaller ones, and larger ones, have another length.
    if (chunk.get_deleter().mapped_bytes == kLargestChunkBytes) {
      stock_->Keep(std::move(chunk));
    }
  }
}

char* Arena::NewChunk(std::size_t bytes) {
  chunks_.reserve(chunks_.size() + 1);
  MemoryBlock<unsigned char> chunk;
  if (bytes == kLargestChunkBytes) {
    chunk = TakeReady();
    if (chunk == nullptr && stock_ != nullptr) chunk = stock_->Take();
  }
  if (chunk == nullptr) chunk = NewMemory(bytes);
  if (chunk == nullptr) throw std::bad_alloc();
  chunks_.push_back(std::move(chunk));
  return reinterpret_cast<char*>(chunks_.back().get());
}

void Arena::PrepareChunk() noexcept {
  if (ready_.load(std::memory_order_relaxed) != nullptr) return;
  if (stock_ != nullptr) {
    if (ChunkStock::Chunk kept = stock_->Take()) {
      ready_.store(kept.release(), std::memory_order_release);
      return;
    }
  }
  MemoryBlock<unsigned char> chunk = NewMemory(kLargestChunkBytes);
  if (chunk == nullptr) return;
  // Touched rather than populated by a call, which would hold a lock of the
  // whole address space while the system clears the pages.
  ShortTurns turns;
  for (std::size_t i = 0; i < kLargestChunkBytes; i += PageBytes()) {
    static_cast<volatile unsigned char*>(chunk.get())[i] = 0;
    turns.EndPiece();
  }
  ready_.store(chunk.release(), std::memory_order_release);
}

char* Arena::AllocateElsewhere(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) {
    throw std::bad_alloc();
  }
  const std::size_t rounded =
      (bytes + kAlignment - 1) / kAlignment * kAlignment;
  // An allocation that would leave much of a chunk unused gets its own memory,
  // and the current chunk stays in use.
  if (rounded > next_chunk_bytes_ / 4) {
    char* const own = NewChunk(rounded);
    Count(rounded);
    return own;
  }
  ReserveElsewhere(rounded);
  Count(rounded);
  left_ -= rounded;
  char* const start = at_;
  at_ += rounded;
  return start;
}

void Arena::ReserveElsewhere(std::size_t bytes) {
  if (left_ > spare_left_ || bytes <= spare_left_) {
    std::swap(at_, spare_at_);
    std::swap(left_, spare_left_);
    if (bytes <= left_) return;
  }
  // An allocation that would leave much of a chunk unused gets a chunk of its
  // size.
  const bool is_large = bytes > next_chunk_bytes_ / 4;
  const std::size_t size = is_large ? bytes : next_chunk_bytes_;
  at_ = NewChunk(size);
  Count(left_);
  left_ = size;
  if (!is_large) {
    next_chunk_bytes_ = std::min(2 * next_chunk_bytes_, kLargestChunkBytes);
  }
}

}  // namespace tamis
