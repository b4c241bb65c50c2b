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

// Memory that starts at a cache line, so that a line of a filter never
// straddles two, and that uses huge pages if it is large enough to fill some:
// random accesses then cause fewer TLB misses.  A filter may be stored
// anywhere; a large one that is queried often should be stored here.
class TAMIS_EXPORT FilterMemory {
 public:
  // ResourceExhausted: there is no memory.
  static Result<FilterMemory> Copy(Slice bytes);

  // Valid for as long as this object, also after a move.
  Slice bytes() const noexcept {
    return {memory_.get(), memory_.get_deleter().size};
  }

 private:
  struct TAMIS_EXPORT Free {
    std::size_t size = 0;  // of the memory

    void operator()(char* memory) const noexcept;
  };
  using Memory = std::unique_ptr<char, Free>;

  explicit FilterMemory(Memory memory) noexcept : memory_(std::move(memory)) {}

  Memory memory_;
};

}  // namespace tamis
