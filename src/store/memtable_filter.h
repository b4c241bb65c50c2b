// SPDX-License-Identifier: Apache-2.0
// store/memtable_filter.h -- the filter of a memtable.  It uses the same hashes
// as the line filters of tables: a key is hashed once for all of them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/huge_pages.h"
#include "filters/bloom/block_shapes.h"
#include "filters/bloom/line_filter.h"
#include "formats/tamis/line_view.h"

namespace tamis {

class MemtableFilter {
 public:
  // For a memtable of about that many bytes.  Null: no memory.
  static std::unique_ptr<MemtableFilter> New(std::size_t expected_bytes);

  // REQUIRES, for all three: `hash` is LineHash() of the user key, always with
  // the same seed

  // REQUIRES: one thread at a time
  void Add(std::uint64_t hash) noexcept;
  [[gnu::always_inline]] void Prefetch(std::uint64_t hash) const noexcept {
    filter_.Prefetch(hash);
  }
  // False only if no completed Add() had this hash.
  bool MayContain(std::uint64_t hash) const noexcept {
    return LineShape(filter_.probes)
        .CheckAtomic(filter_.LineOf(hash), LineBitsOf(hash));
  }

  // Returns the expected rate of false positives with so many keys.
  double RateAt(std::uint64_t keys) const noexcept;
  std::size_t bytes() const noexcept { return filter_.count * kLineBytes; }

 private:
  MemtableFilter(MemoryBlock<unsigned char> memory,
                 std::uint64_t lines_count) noexcept;

  MemoryBlock<unsigned char> memory_;
  MutableLineFilter filter_;  // from the first aligned byte of memory_ on
};

}  // namespace tamis
