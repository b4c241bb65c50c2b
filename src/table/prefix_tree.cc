// SPDX-License-Identifier: Apache-2.0
#include "table/prefix_tree.h"

#include <algorithm>
#include <new>

namespace tamis {

PrefixTree::PrefixTree(std::span<const std::uint64_t> sorted)
    : size_(sorted.size()) {
  if (sorted.empty()) return;
  const auto lines_of = [](std::size_t numbers) {
    return (numbers + kPerLine - 1) / kPerLine;
  };
  std::size_t lines = 0;
  for (std::size_t n = size_;; n = lines_of(n)) {
    lines += lines_of(n);
    if (n <= kPerLine) break;
  }
  memory_bytes_ = lines * kCacheLineBytes;
  memory_ = NewPooledMemory(memory_bytes_);
  if (memory_ == nullptr) throw std::bad_alloc();

  auto* level = reinterpret_cast<std::uint64_t*>(memory_.get());
  numbers_ = level;
  std::size_t count = size_;
  std::copy(sorted.begin(), sorted.end(), level);
  while (true) {
    const std::size_t line_count = lines_of(count);
    // The padding of a line is never below anything.
    std::fill(level + count, level + line_count * kPerLine, UINT64_MAX);
    levels_.insert(levels_.begin(), level);
    if (count <= kPerLine) return;
    std::uint64_t* const above = level + line_count * kPerLine;
    for (std::size_t i = 0; i < line_count; ++i) {
      above[i] = level[i * kPerLine + kPerLine - 1];
    }
    level = above;
    count = line_count;
  }
}

}  // namespace tamis
