// SPDX-License-Identifier: Apache-2.0
// base/residency.h -- which pages of a mapping are in memory.

#pragma once

#include <cstddef>
#include <span>

namespace tamis {

// Sets the lowest bit of pages[i] if the i-th page from `start` on is in
// memory, and clears it if not.  The system says so of every page of a file
// that this user neither owns nor may write.  False: it cannot say, or its
// pages are not of `page_bytes`.  REQUIRES: `start` begins a page of a mapping,
// and so many pages are mapped from there on
bool FindResident(const char* start, std::size_t page_bytes,
                  std::span<unsigned char> pages) noexcept;

}  // namespace tamis
