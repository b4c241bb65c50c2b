// SPDX-License-Identifier: Apache-2.0
// base/huge_pages.h -- memory for large filters, in huge pages where possible.
// Random accesses to a GiB in pages of 4 KiB miss the TLB nearly every time, in
// pages of 2 MiB nearly never.

#pragma once

#include <cstddef>
#include <memory>

namespace tamis {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

// Advises the system to use huge pages for the whole huge pages in these bytes.
// Call it before they are first written.  Without such pages nothing changes.
void AdviseHugePages(void* start, std::size_t bytes) noexcept;

// Makes the system allocate the pages of these bytes at once, which is cheaper
// than one fault per page.  Only for memory that is all about to be written.
// `start` must be aligned to a page.  This is a best effort: nothing depends on
// it.
void PopulatePages(void* start, std::size_t bytes) noexcept;

// Where NewMemory() takes its memory from instead of malloc and the system: a
// program that counts what it allocates.  Null: from these.
struct MemorySource {
  void* (*allocate)(std::size_t bytes) = nullptr;  // aligned as by malloc
  void (*release)(void* memory) = nullptr;
};

// Blocks are then never mapped, and no huge pages are requested.  REQUIRES: no
// block of NewMemory() is in use, and no other thread calls it now
void UseMemorySource(const MemorySource& source) noexcept;
bool HasMemorySource() noexcept;

// Frees memory from NewMemory(), or from std::malloc() and its relatives.
struct FreeMemory {
  static constexpr auto kOfSource = ~std::size_t{0};

  // By the system directly; 0: by malloc; kOfSource: by a MemorySource.
  std::size_t mapped_bytes = 0;

  void operator()(void* memory) const noexcept;
};
template <typename T>
using MemoryBlock = std::unique_ptr<T[], FreeMemory>;

inline constexpr std::size_t kCacheLineBytes = 64;

// Blocks from this size on are the system's again as soon as they are freed.
// malloc begins so, too, but then keeps ever larger ones, with the holes that
// blocks of changing sizes leave: a store that works for long would grow.
inline constexpr std::size_t kMappedBytes = std::size_t{128} << 10;
// With the address sanitizer no block is: it watches what malloc returns.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kMapsBlocks = false;
#elif defined(__has_feature)
inline constexpr bool kMapsBlocks = !__has_feature(address_sanitizer);
#else
inline constexpr bool kMapsBlocks = true;
#endif

// Returns uninitialised memory, aligned to `alignment`, a power of two, or to a
// huge page if it fills one; huge pages are then requested.  Null: no memory.
MemoryBlock<unsigned char> NewMemory(
    std::size_t bytes, std::size_t alignment = kCacheLineBytes) noexcept;
// The deleter of NewMemory(bytes), for a block that was release()d.
FreeMemory FreeMemoryOf(std::size_t bytes) noexcept;

}  // namespace tamis
