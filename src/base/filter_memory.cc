// SPDX-License-Identifier: Apache-2.0
#include "tamis/filter_memory.h"

#include <cstring>
#include <string>
#include <utility>

#include "base/no_throw.h"
#include "base/pooled_memory.h"

namespace tamis {

Result<FilterMemory> FilterMemory::Copy(Slice bytes) {
  PooledBlock<unsigned char> block = NewPooledMemory(bytes.size());
  if (block == nullptr) {
    return NoThrow([&] {
      return Status::ResourceExhausted("no memory for a filter of " +
                                       std::to_string(bytes.size()) + " bytes");
    });
  }
  if (!bytes.empty()) std::memcpy(block.get(), bytes.data(), bytes.size());
  return FilterMemory(Memory(reinterpret_cast<char*>(block.release()),
                             Free{.size = bytes.size()}));
}

void FilterMemory::Free::operator()(char* memory) const noexcept {
  FreePooled{size}(memory);
}

}  // namespace tamis
