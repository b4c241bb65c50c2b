// SPDX-License-Identifier: Apache-2.0
#include "tamis/filter_memory.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "base/huge_pages.h"
#include "base/no_throw.h"

namespace tamis {

Result<FilterMemory> FilterMemory::Copy(Slice bytes) {
  MemoryBlock<unsigned char> block = NewMemory(bytes.size());
  if (block == nullptr) {
    return NoThrow([&] {
      return Status::ResourceExhausted("no memory for a filter of " +
                                       std::to_string(bytes.size()) + " bytes");
    });
  }
  if (!bytes.empty()) std::memcpy(block.get(), bytes.data(), bytes.size());
  // FreeMemory is std::free(), which the public header does not expose.
  return FilterMemory(
      Memory(reinterpret_cast<char*>(block.release()), &std::free),
      bytes.size());
}

}  // namespace tamis
