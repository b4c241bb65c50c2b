// SPDX-License-Identifier: Apache-2.0
// base/huge_pages.h -- memory for big filters, and how its pages come about.
// Random accesses to a GiB in pages of 4 KiB miss the processor's page table
// cache nearly every time, in pages of 2 MiB nearly never.

#pragma once

#include <cstddef>
#include <memory>

namespace tamis {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

// Asks the system to back these bytes with huge pages, as far as whole ones
// lie within.  Best before they are first written.  Only advice: where the
// system has none to give, nothing changes.
void AdviseHugePages(void* start, std::size_t bytes) noexcept;

// Has the system lay pages under these bytes now, in one go, which is cheaper
// than one fault per page.  Only for memory that is all about to be written.
// `start` must be aligned to a page.  Best effort: nothing depends on it.
void PopulatePages(void* start, std::size_t bytes) noexcept;

struct FreeMemory {
  void operator()(void* memory) const noexcept;
};
template <typename T>
using MemoryBlock = std::unique_ptr<T[], FreeMemory>;

inline constexpr std::size_t kCacheLineBytes = 64;

// Uninitialised bytes, aligned to `alignment`, a power of two -- to a huge
// page where they fill one, with huge pages asked for.  Null: no memory.
MemoryBlock<unsigned char> NewMemory(
    std::size_t bytes, std::size_t alignment = kCacheLineBytes) noexcept;

}  // namespace tamis
