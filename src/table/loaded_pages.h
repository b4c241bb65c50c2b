// SPDX-License-Identifier: Apache-2.0
// table/loaded_pages.h -- which pages of a table a walk has brought into
// memory, and which were there before it: others use those.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "base/residency.h"
#include "table/footer.h"
#include "tamis/env.h"

namespace tamis {

// Remembers the last two ranges that a walk has requested.  Not thread-safe.
class LoadedPages {
 public:
  // The longest range, which may begin and end within pages.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;

  // The bytes [from, to) are about to be requested.  REQUIRES: not more than
  // kMaxBytes, and within the file
  void WillRequest(const ReadableFile& file, std::uint64_t from,
                   std::uint64_t to) noexcept {
    std::swap(ranges_[0], ranges_[1]);
    Range& range = ranges_[0];
    range.first = from / kPageBytes;
    range.count =
        static_cast<std::size_t>((to - 1) / kPageBytes + 1 - range.first);
    const Slice mapped = file.mapped();
    if (mapped.size() < to ||
        !FindResident(mapped.data() + range.first * kPageBytes, kPageBytes,
                      std::span(range.pages).first(range.count))) {
      range.count = 0;
    }
  }

  // Those of the bytes [from, to) that were loaded by a request, or of which
  // nothing is known, need not stay in memory.
  void Release(const ReadableFile& file, std::uint64_t from,
               std::uint64_t to) const noexcept {
    std::uint64_t start = from;
    for (std::uint64_t at = from; at < to;) {
      const std::uint64_t page = at / kPageBytes;
      const std::uint64_t next = std::min((page + 1) * kPageBytes, to);
      if (WasThere(page)) {
        Pass(file, start, at);
        start = next;
      }
      at = next;
    }
    Pass(file, start, to);
  }

 private:
  static constexpr std::size_t kMaxPages = kMaxBytes / kPageBytes + 1;
  struct Range {
    std::uint64_t first = 0;  // page
    std::size_t count = 0;    // 0: nothing is known
    std::array<unsigned char, kMaxPages> pages;
  };

  bool WasThere(std::uint64_t page) const noexcept {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
      return page >= range.first && page - range.first < range.count &&
             (range.pages[static_cast<std::size_t>(page - range.first)] & 1) !=
                 0;
    });
  }
  static void Pass(const ReadableFile& file, std::uint64_t from,
                   std::uint64_t to) noexcept {
    if (from < to) file.HasRead(from, static_cast<std::size_t>(to - from));
  }

  std::array<Range, 2> ranges_;
};

}  // namespace tamis
