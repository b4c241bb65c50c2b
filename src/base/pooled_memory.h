// SPDX-License-Identifier: Apache-2.0
// base/pooled_memory.h -- memory for what is kept for long and read at random
// places: the filters and indexes of tables.
//
// One alone does not fill a huge page; a process has many, which share some.
// They are also kept apart from malloc's memory, where blocks that live long
// between ones that do not leave holes that are never used again.

#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "base/huge_pages.h"

namespace tamis {

// Up to so many bytes in all, pages of 4 KiB do: CPUs have TLB entries for
// them.  A process with little data then holds no huge page for it.
inline constexpr std::size_t kPoolFrom = std::size_t{4} << 20;

struct FreePooled {
  std::size_t bytes = 0;

  void operator()(void* memory) const noexcept;
};
template <typename T>
using PooledBlock = std::unique_ptr<T[], FreePooled>;

// Returns uninitialised memory, aligned to a cache line.  Null: no memory.
// Thread-safe, and so is freeing.
PooledBlock<unsigned char> NewPooledMemory(std::size_t bytes) noexcept;

// Bytes of address space that the pool has from the system now.
std::size_t PoolBytes() noexcept;

template <typename T>
struct PoolAllocator {
  static_assert(alignof(T) <= kCacheLineBytes);
  using value_type = T;

  PoolAllocator() = default;
  template <typename U>  // vectors rebind it
  explicit PoolAllocator(const PoolAllocator<U>& /*other*/) noexcept {}

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      throw std::bad_alloc();
    }
    unsigned char* const memory = NewPooledMemory(count * sizeof(T)).release();
    if (memory == nullptr) throw std::bad_alloc();
    return reinterpret_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    FreePooled{count * sizeof(T)}(memory);
  }
  friend bool operator==(const PoolAllocator&, const PoolAllocator&) = default;
};

template <typename T>
using PooledVector = std::vector<T, PoolAllocator<T>>;

}  // namespace tamis
