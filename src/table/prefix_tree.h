// SPDX-License-Identifier: Apache-2.0
// table/prefix_tree.h -- sorted numbers, to be searched with few cache misses.
//
// A binary search over thousands of numbers touches a cache line per step,
// except in the last three.  Here eight numbers make a line, the largest of
// each line is a number of the level above, and so on up to one line: a search
// touches a line per level, four for 4,096 numbers.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/pooled_memory.h"

namespace tamis {

// Immutable once built; safe to share among threads.
class PrefixTree {
 public:
  static constexpr std::size_t kPerLine = kCacheLineBytes / 8;

  PrefixTree() = default;  // of no numbers
  // REQUIRES: they are in ascending order
  explicit PrefixTree(std::span<const std::uint64_t> sorted);

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  // REQUIRES: i < size()
  std::uint64_t operator[](std::size_t i) const noexcept { return numbers_[i]; }

  // Returns the index of the first that is not below `wanted`; size() if all
  // are.
  std::size_t LowerBound(std::uint64_t wanted) const noexcept {
    return LowerBound(wanted, [](std::size_t /*first*/) {});
  }
  // The same.  As soon as it is known that the result is one of the kPerLine
  // from `first` on, or size(), and before they are read, it calls
  // expect(first): a caller can prefetch what belongs to them.
  template <typename Expect>
  std::size_t LowerBound(std::uint64_t wanted,
                         const Expect& expect) const noexcept {
    std::size_t at = 0;  // the line, and then the number in it
    for (const std::uint64_t* level : levels_) {
      if (level == numbers_) expect(at * kPerLine);
      const std::uint64_t* const line = level + at * kPerLine;
      std::size_t below = 0;
      for (std::size_t i = 0; i < kPerLine; ++i) {
        below += line[i] < wanted ? 1u : 0u;
      }
      // If the whole top line is below, there is none.  This cannot happen in a
      // lower line: its largest number, or padding, is in the level above.
      if (below == kPerLine) return size_;
      at = at * kPerLine + below;
    }
    return std::min(at, size_);
  }

  std::size_t memory_bytes() const noexcept { return memory_bytes_; }

 private:
  PooledBlock<unsigned char> memory_;
  std::size_t memory_bytes_ = 0;
  const std::uint64_t* numbers_ = nullptr;  // the lowest level
  std::size_t size_ = 0;
  std::vector<const std::uint64_t*>
      levels_;  // from the top; the last: numbers_
};

}  // namespace tamis
