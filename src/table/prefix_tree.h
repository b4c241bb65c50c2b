// SPDX-License-Identifier: Apache-2.0
// table/prefix_tree.h -- sorted numbers, to be searched with few cache misses.
//
// A binary search over thousands of numbers touches a cache line per step,
// except in the last three.  Here eight numbers make a line, the largest of
// each line is a number of the level above, and so on up to one line: a search
// touches a line per level, four for 4,096 numbers.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/huge_pages.h"

namespace tamis {

// Immutable once built; safe to share among threads.
class PrefixTree {
 public:
  PrefixTree() = default;  // of no numbers
  // REQUIRES: they are in ascending order
  explicit PrefixTree(std::span<const std::uint64_t> sorted);

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  // REQUIRES: i < size()
  std::uint64_t operator[](std::size_t i) const noexcept { return numbers_[i]; }

  // Returns the index of the first that is not below `wanted`; size() if all
  // are.
  std::size_t LowerBound(std::uint64_t wanted) const noexcept;

  std::size_t memory_bytes() const noexcept { return memory_bytes_; }

 private:
  static constexpr std::size_t kPerLine = kCacheLineBytes / 8;

  MemoryBlock<unsigned char> memory_;
  std::size_t memory_bytes_ = 0;
  const std::uint64_t* numbers_ = nullptr;  // the lowest level
  std::size_t size_ = 0;
  std::vector<const std::uint64_t*>
      levels_;  // from the top; the last: numbers_
};

}  // namespace tamis
