// SPDX-License-Identifier: Apache-2.0
#include "module_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tamis {

MemoryFunctions module_memory = {.allocate = std::malloc, .release = std::free};

bool ByteBuffer::Append(std::string_view bytes) noexcept {
  if (bytes.empty()) return true;
  if (bytes.size() > capacity_ - size_) {
    // Grows by halves: what is received bounds what is allocated.
    const std::size_t larger =
        std::max(size_ + bytes.size(), capacity_ + capacity_ / 2);
    char* const grown = static_cast<char*>(module_memory.allocate(larger));
    if (grown == nullptr) return false;
    if (size_ > 0) std::memcpy(grown, bytes_, size_);
    if (bytes_ != nullptr) module_memory.release(bytes_);
    bytes_ = grown;
    capacity_ = larger;
  }
  std::memcpy(bytes_ + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
  return true;
}

void ByteBuffer::Clear() noexcept {
  if (bytes_ != nullptr) module_memory.release(bytes_);
  bytes_ = nullptr;
  size_ = 0;
  capacity_ = 0;
}

}  // namespace tamis
