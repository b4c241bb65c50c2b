// SPDX-License-Identifier: Apache-2.0
#include "base/huge_pages.h"

#include <sys/mman.h>
#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace tamis {

void AdviseHugePages(void* start, std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
  const auto first = reinterpret_cast<std::uintptr_t>(start);
  const std::uintptr_t from =
      (first + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const std::uintptr_t to = (first + bytes) / kHugePageBytes * kHugePageBytes;
  if (to <= from) return;
  // An error means that this system has no huge pages: nothing can be done.
  static_cast<void>(
      ::madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE));
#else
  static_cast<void>(start);
  static_cast<void>(bytes);
#endif
}

void PopulatePages(void* start, std::size_t bytes) noexcept {
#if defined(MADV_POPULATE_WRITE)
  static_cast<void>(::madvise(start, bytes, MADV_POPULATE_WRITE));
#elif defined(__linux__)
  constexpr int kPopulateWrite = 23;  // since Linux 5.14; newer than glibc
  static_cast<void>(::madvise(start, bytes, kPopulateWrite));
#else
  static_cast<void>(start);
  static_cast<void>(bytes);
#endif
}

void FreeMemory::operator()(void* memory) const noexcept { std::free(memory); }

MemoryBlock<unsigned char> NewMemory(std::size_t bytes,
                                     std::size_t alignment) noexcept {
  if (bytes >= kHugePageBytes) alignment = std::max(alignment, kHugePageBytes);
  if (bytes == 0) bytes = 1;  // null means failure
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (rounded < bytes) return nullptr;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory != nullptr) AdviseHugePages(memory, rounded);
  return MemoryBlock<unsigned char>(static_cast<unsigned char*>(memory));
}

}  // namespace tamis
