// SPDX-License-Identifier: Apache-2.0
// base/chunked_array.h -- a sequence that only grows, in chunks, so that
// growing neither copies its items nor needs twice the memory.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace tamis {

template <typename T>
class ChunkedArray {
 public:
  // False: no memory; the sequence is as before.
  bool PushBack(const T& value) noexcept {
    if (free_ == 0 && !Grow()) return false;
    *next_++ = value;
    --free_;
    ++size_;
    return true;
  }

  // False: no memory; some of them may be missing.
  bool Push(std::span<const T> values) noexcept {
    return std::all_of(values.begin(), values.end(),
                       [this](const T& value) { return PushBack(value); });
  }

  std::uint64_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  // REQUIRES: !empty()
  const T& back() const noexcept { return next_[-1]; }

  std::size_t chunk_count() const noexcept { return chunks_.size(); }
  // REQUIRES: i < chunk_count()
  std::span<const T> chunk(std::size_t i) const noexcept {
    const Chunk& chunk = chunks_[i];
    const bool is_last = i + 1 == chunks_.size();
    return {chunk.items.get(), chunk.capacity - (is_last ? free_ : 0)};
  }

 private:
  struct Chunk {
    std::unique_ptr<T[]> items;
    std::size_t capacity;
  };

  // Small enough that a filter of a few keys is cheap; chunks grow, so that a
  // filter of many keys has few of them.
  static constexpr std::uint64_t kFirstItems = 256;
  static constexpr std::uint64_t kMaxItems = std::uint64_t{1} << 18;

  bool Grow() noexcept {
    const auto capacity =
        static_cast<std::size_t>(std::clamp(size_, kFirstItems, kMaxItems));
    std::unique_ptr<T[]> items(new (std::nothrow) T[capacity]);
    if (items == nullptr) return false;
    try {
      chunks_.push_back({std::move(items), capacity});
    } catch (const std::bad_alloc&) {
      return false;
    }
    next_ = chunks_.back().items.get();
    free_ = capacity;
    return true;
  }

  std::vector<Chunk> chunks_;
  T* next_ = nullptr;
  std::size_t free_ = 0;  // places left in the last chunk
  std::uint64_t size_ = 0;
};

}  // namespace tamis
