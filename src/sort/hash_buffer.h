// SPDX-License-Identifier: Apache-2.0
// sort/hash_buffer.h -- a reusable buffer for hashes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "base/huge_pages.h"

namespace tamis {

class HashBuffer {
 public:
  // Returns space for `count` hashes; the contents are lost.  Throws bad_alloc.
  std::uint64_t* Reserve(std::size_t count) {
    if (count > capacity_) {
      capacity_ = 0;
      memory_.reset();  // first, so that both never exist at once
      memory_ = NewMemory(count * sizeof(std::uint64_t));
      if (memory_ == nullptr) throw std::bad_alloc();
      capacity_ = count;
    }
    return reinterpret_cast<std::uint64_t*>(memory_.get());
  }

 private:
  MemoryBlock<unsigned char> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace tamis
