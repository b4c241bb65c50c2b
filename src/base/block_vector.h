// SPDX-License-Identifier: Apache-2.0
// base/block_vector.h -- a vector for what may be large and is kept for long.
// Its memory is NewMemory(): once freed it leaves no hole that malloc would
// keep.

#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

#include "base/huge_pages.h"

namespace tamis {

template <typename T>
struct BlockAllocator {
  static_assert(alignof(T) <= kCacheLineBytes);
  using value_type = T;

  BlockAllocator() = default;
  // Vectors convert allocators implicitly.
  template <typename U>
  BlockAllocator(const BlockAllocator<U>& /*other*/) noexcept {}  // NOLINT

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      throw std::bad_alloc();
    }
    unsigned char* const memory = NewMemory(count * sizeof(T)).release();
    if (memory == nullptr) throw std::bad_alloc();
    return reinterpret_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    FreeMemoryOf(count * sizeof(T))(memory);
  }
  friend bool operator==(const BlockAllocator&,
                         const BlockAllocator&) = default;
};

template <typename T>
using BlockVector = std::vector<T, BlockAllocator<T>>;

}  // namespace tamis
