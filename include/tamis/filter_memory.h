// SPDX-License-Identifier: Apache-2.0
// tamis/filter_memory.h -- the bytes of a filter, held where queries are
// fastest.

#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "tamis/export.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// Begins at a cache line, so that a line of a filter is one line of the cache
// and not parts of two, and lies in huge pages where there are enough bytes to
// fill some: random accesses then need no walk through the page table.  A
// filter may lie anywhere; a big one that is asked often should lie here.
class TAMIS_EXPORT FilterMemory {
 public:
  // ResourceExhausted: there is no memory.
  static Result<FilterMemory> Copy(Slice bytes);

  // Valid as long as this object, also after it has been moved.
  Slice bytes() const noexcept { return {memory_.get(), size_}; }

 private:
  using Memory = std::unique_ptr<char, void (*)(void*)>;

  FilterMemory(Memory memory, std::size_t size) noexcept
      : memory_(std::move(memory)), size_(size) {}

  Memory memory_;
  std::size_t size_;
};

}  // namespace tamis
