// SPDX-License-Identifier: Apache-2.0
// base/growing_pages.h -- memory that grows without being copied: the system
// remaps its pages to a larger range of addresses.

#pragma once

#include <cstddef>

namespace tamis {

// The size of a page of this system.
std::size_t PageBytes() noexcept;

class GrowingPages {
 public:
  GrowingPages() noexcept = default;
  GrowingPages(const GrowingPages&) = delete;
  GrowingPages& operator=(const GrowingPages&) = delete;
  ~GrowingPages() { Resize(0); }

  // Keeps the contents as far as they fit; new pages take no memory until they
  // are written.  data() may change.  Returns false if there is no memory, with
  // nothing changed.  Shrinking does not fail.
  // REQUIRES: bytes is a multiple of PageBytes()
  bool Resize(std::size_t bytes) noexcept;

  unsigned char* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tamis
