// SPDX-License-Identifier: Apache-2.0
#include "base/growing_pages.h"

#include <sys/mman.h>
#include <unistd.h>
#include <cstring>

namespace tamis {
namespace {

void* Map(std::size_t bytes) noexcept {
  return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void* Grow(void* data, std::size_t from, std::size_t to) noexcept {
#if defined(MREMAP_MAYMOVE)
  return ::mremap(data, from, to, MREMAP_MAYMOVE);
#else
  void* copy = Map(to);
  if (copy != MAP_FAILED) {
    std::memcpy(copy, data, from);
    ::munmap(data, from);
  }
  return copy;
#endif
}

}  // namespace

std::size_t PageBytes() noexcept {
  static const auto kBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return kBytes;
}

bool GrowingPages::Resize(std::size_t bytes) noexcept {
  if (bytes == size_) return true;
  if (bytes < size_) {
    ::munmap(data_ + bytes, size_ - bytes);
    size_ = bytes;
    if (bytes == 0) data_ = nullptr;
    return true;
  }
  void* data = size_ == 0 ? Map(bytes) : Grow(data_, size_, bytes);
  if (data == MAP_FAILED) return false;
  data_ = static_cast<unsigned char*>(data);
  size_ = bytes;
  return true;
}

}  // namespace tamis
