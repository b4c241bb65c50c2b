// SPDX-License-Identifier: Apache-2.0
#include "base/huge_pages.h"

#include <sys/mman.h>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/growing_pages.h"

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

namespace {

MemorySource memory_source;

// Returns memory of the source at that alignment, after at least as many bytes
// as a pointer has: those just before it say what the source returned.
void* TakeFromSource(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t before = std::max(alignment, sizeof(void*));
  if (bytes + before + alignment < bytes) return nullptr;
  void* const taken = memory_source.allocate(bytes + before + alignment - 1);
  if (taken == nullptr) return nullptr;
  auto* const first = static_cast<unsigned char*>(taken) + before;
  const std::size_t beyond =
      reinterpret_cast<std::uintptr_t>(first) % alignment;
  unsigned char* const start = first + (beyond == 0 ? 0 : alignment - beyond);
  std::memcpy(start - sizeof(taken), &taken, sizeof(taken));
  return start;
}

void ReturnToSource(const void* memory) noexcept {
  void* taken = nullptr;
  std::memcpy(&taken, static_cast<const unsigned char*>(memory) - sizeof(taken),
              sizeof(taken));
  memory_source.release(taken);
}

}  // namespace

void UseMemorySource(const MemorySource& source) noexcept {
  memory_source = source;
}
bool HasMemorySource() noexcept { return memory_source.allocate != nullptr; }

void FreeMemory::operator()(void* memory) const noexcept {
  if (mapped_bytes == 0) {
    std::free(memory);
  } else if (mapped_bytes == kOfSource) {
    ReturnToSource(memory);
  } else {
    ::munmap(memory, mapped_bytes);
  }
}

namespace {

struct Layout {
  std::size_t bytes;  // less than were asked for: there is no such size
  std::size_t alignment;
  bool is_mapped;

  FreeMemory deleter() const noexcept { return {is_mapped ? bytes : 0}; }
};

Layout LayoutOf(std::size_t bytes, std::size_t alignment) noexcept {
  const bool is_mapped = kMapsBlocks && bytes >= kMappedBytes;
  if (is_mapped) alignment = std::max(alignment, PageBytes());
  if (bytes >= kHugePageBytes) alignment = std::max(alignment, kHugePageBytes);
  if (bytes == 0) bytes = 1;  // null means failure
  return {.bytes = (bytes + alignment - 1) / alignment * alignment,
          .alignment = alignment,
          .is_mapped = is_mapped};
}

// REQUIRES: `bytes` and `alignment` are multiples of a page
void* MapAligned(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t slack = alignment - PageBytes();
  if (bytes + slack < bytes) return nullptr;
  void* const mapped = ::mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const start = static_cast<unsigned char*>(mapped);
  const std::size_t before =
      (alignment - reinterpret_cast<std::uintptr_t>(start) % alignment) %
      alignment;
  if (before > 0) ::munmap(start, before);
  if (before < slack) ::munmap(start + before + bytes, slack - before);
  return start + before;
}

}  // namespace

MemoryBlock<unsigned char> NewMemory(std::size_t bytes,
                                     std::size_t alignment) noexcept {
  if (HasMemorySource()) {
    return {static_cast<unsigned char*>(TakeFromSource(bytes, alignment)),
            FreeMemory{FreeMemory::kOfSource}};
  }
  const Layout layout = LayoutOf(bytes, alignment);
  if (layout.bytes < bytes) return nullptr;
  void* const memory = layout.is_mapped
                           ? MapAligned(layout.bytes, layout.alignment)
                           : std::aligned_alloc(layout.alignment, layout.bytes);
  if (memory == nullptr) return nullptr;
  AdviseHugePages(memory, layout.bytes);
  return {static_cast<unsigned char*>(memory), layout.deleter()};
}

FreeMemory FreeMemoryOf(std::size_t bytes) noexcept {
  if (HasMemorySource()) return {FreeMemory::kOfSource};
  return LayoutOf(bytes, kCacheLineBytes).deleter();
}

}  // namespace tamis
