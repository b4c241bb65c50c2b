// SPDX-License-Identifier: Apache-2.0
// module_memory.h -- where the module's large memory comes from: the server's
// allocator, so that MEMORY USAGE and maxmemory count it.

#pragma once

#include <cstddef>
#include <string_view>

namespace tamis {

struct MemoryFunctions {
  void* (*allocate)(std::size_t bytes);  // null: there is no memory
  void (*release)(void* memory);
};

// malloc() and free() until the module is loaded into a server.
extern MemoryFunctions module_memory;

// Bytes that grow.  No exception: lack of memory is a result.
class ByteBuffer {
 public:
  ByteBuffer() = default;
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;
  ~ByteBuffer() { Clear(); }

  const char* data() const noexcept { return bytes_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }

  // Returns whether there was memory; if not, nothing has changed.
  bool Append(std::string_view bytes) noexcept;
  // Frees the memory.
  void Clear() noexcept;

 private:
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace tamis
