#include "base/arena.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace tamis {

char* Arena::NewChunk(std::size_t bytes) {
  chunks_.reserve(chunks_.size() + 1);
  MemoryBlock<unsigned char> chunk = NewMemory(bytes);
  if (chunk == nullptr) throw std::bad_alloc();
  chunks_.push_back(std::move(chunk));
  return reinterpret_cast<char*>(chunks_.back().get());
}

char* Arena::AllocateElsewhere(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) {
    throw std::bad_alloc();
  }
  const std::size_t rounded =
      (bytes + kAlignment - 1) / kAlignment * kAlignment;
  // What would leave much of a chunk unused gets memory of its own, and the
  // chunk goes on being filled.
  if (rounded > next_chunk_bytes_ / 4) {
    char* const own = NewChunk(rounded);
    Count(rounded);
    return own;
  }
  at_ = NewChunk(next_chunk_bytes_);
  Count(left_ + rounded);
  left_ = next_chunk_bytes_ - rounded;
  next_chunk_bytes_ = std::min(2 * next_chunk_bytes_, kLargestChunkBytes);
  char* const start = at_;
  at_ += rounded;
  return start;
}

}  // namespace tamis
