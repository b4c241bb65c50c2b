// SPDX-License-Identifier: Apache-2.0
// table/readable_pages.h -- a part of a mapped file whose pages are made
// readable one by one, each before it is touched.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/growing_pages.h"
#include "tamis/env.h"
#include "tamis/slice.h"

namespace tamis {

// Safe to share among threads.
class ReadablePages {
 public:
  // No file: all bytes are readable.
  ReadablePages() = default;
  // REQUIRES: the bytes [offset, offset + bytes) are within the mapping of the
  // file, which outlives this
  ReadablePages(const ReadableFile& file, std::uint64_t offset,
                std::size_t bytes)
      : file_(&file),
        mapped_(file.mapped().data()),
        first_(PageOf(mapped_ + offset)),
        are_readable_(PageOf(mapped_ + offset + bytes - 1) - first_ + 1) {}

  // Returns true if the bytes can be touched: see ReadableFile::MakeReadable().
  // REQUIRES: they are within the part
  bool Make(const char* start, std::size_t bytes) const noexcept {
    if (file_ == nullptr || bytes == 0) return true;
    const std::size_t last = PageOf(start + bytes - 1);
    for (std::size_t page = PageOf(start); page <= last; ++page) {
      const Flag& flag = are_readable_[page - first_];
      if (flag.is_set.load(std::memory_order_relaxed)) continue;
      if (!MakePages(page, 1)) return false;
      flag.is_set.store(true, std::memory_order_relaxed);
    }
    return true;
  }
  // The same of all bytes of the part, in one call of the system.
  bool MakeAll() const noexcept {
    if (file_ == nullptr) return true;
    if (!MakePages(first_, are_readable_.size())) return false;
    for (const Flag& flag : are_readable_) {
      flag.is_set.store(true, std::memory_order_relaxed);
    }
    return true;
  }

 private:
  struct Flag {
    mutable std::atomic<bool> is_set{false};
  };

  // Pages are counted from the start of the mapping, which begins one.
  std::size_t PageOf(const char* at) const noexcept {
    return static_cast<std::size_t>(at - mapped_) / PageBytes();
  }
  bool MakePages(std::size_t first, std::size_t count) const noexcept {
    const std::uint64_t from = std::uint64_t{first} * PageBytes();
    const std::uint64_t to = std::uint64_t{first + count} * PageBytes();
    return file_->MakeReadable(
        from, static_cast<std::size_t>(std::min(to, file_->size()) - from));
  }

  const ReadableFile* file_ = nullptr;
  const char* mapped_ = nullptr;
  std::size_t first_ = 0;
  std::vector<Flag> are_readable_;
};

}  // namespace tamis
