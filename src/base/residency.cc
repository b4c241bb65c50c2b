// SPDX-License-Identifier: Apache-2.0
#include "base/residency.h"

#include <sys/mman.h>

#include "base/growing_pages.h"

namespace tamis {

bool FindResident(const char* start, std::size_t page_bytes,
                  std::span<unsigned char> pages) noexcept {
  if (PageBytes() != page_bytes) return false;
  // The call takes a pointer to what it does not change.
  return ::mincore(const_cast<char*>(start), pages.size() * page_bytes,
                   pages.data()) == 0;
}

}  // namespace tamis
