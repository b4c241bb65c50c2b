// SPDX-License-Identifier: Apache-2.0
// filters/bloom/line_filter.h -- a cache-local Bloom filter
// (filters/bloom/line_bloom.h) as a small value: where its lines are, how many,
// and how a key probes its line.

#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "filters/bloom/line_bloom.h"
#include "filters/kernels/kernels.h"
#include "math/fast_range.h"

namespace tamis {

// The bits of a hash that choose the probes.  The line is chosen by the whole
// hash, and thereby by its upper bits.
constexpr std::uint32_t LineBitsOf(std::uint64_t hash) noexcept {
  return static_cast<std::uint32_t>(hash);
}

// Lines in memory that the caller owns.  Byte is unsigned char, or const.
// REQUIRES, for all functions: at least one line; to check and to mark, 1 to
// kMaxLineProbes probes
template <typename Byte>
struct BasicLineFilter {
  Byte* lines = nullptr;
  std::uint64_t count = 0;  // of lines
  LineProbes probes = {};
  // The distance between lines; larger if filters are interleaved.
  std::size_t stride = kLineBytes;

  // Where the line of a key is: as an offset from `lines`, and in memory.
  std::size_t OffsetOf(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(FastRange(hash, count)) * stride;
  }
  Byte* LineOf(std::uint64_t hash) const noexcept {
    return lines + OffsetOf(hash);
  }

  // Prefetches the line of a key that is checked next.
  [[gnu::always_inline]] void Prefetch(std::uint64_t hash) const noexcept {
    __builtin_prefetch(LineOf(hash));
  }
  // Prefetches the line of one of many keys into the second-level cache, which
  // can have more requests in flight than the first.  An unaligned line spans
  // two cache lines.
  [[gnu::always_inline]] void PrefetchOfMany(
      std::uint64_t hash) const noexcept {
    const Byte* line = LineOf(hash);
    __builtin_prefetch(line, 0, 2);
    if (reinterpret_cast<std::uintptr_t>(line) % kLineBytes != 0) {
      __builtin_prefetch(line + kLineBytes - 1, 0, 2);
    }
  }

  // False only if Mark() was never called with this hash.
  bool Check(std::uint64_t hash) const noexcept {
    return CheckLine(LineOf(hash), LineBitsOf(hash), probes);
  }
  bool Check(const Kernels& kernels, std::uint64_t hash) const noexcept {
    return kernels.check_line(LineOf(hash), LineBitsOf(hash), probes);
  }
  void Mark(std::uint64_t hash) const noexcept
      requires(!std::is_const_v<Byte>) {
    MarkLine(LineOf(hash), LineBitsOf(hash), probes);
  }

  // Returns the same as a query for kernels that check many keys at once.
  BlockQuery QueryOf(std::uint64_t hash) const noexcept {
    return {LineOf(hash), LineBitsOf(hash)};
  }
  BlockMark MarkOf(std::uint64_t hash) const noexcept
      requires(!std::is_const_v<Byte>) {
    return {LineOf(hash), LineBitsOf(hash)};
  }

  // A filter that can be marked can also be checked.
  operator BasicLineFilter<const Byte>() const noexcept
      requires(!std::is_const_v<Byte>) {
    return {.lines = lines, .count = count, .probes = probes, .stride = stride};
  }
};

using LineFilter = BasicLineFilter<const unsigned char>;
using MutableLineFilter = BasicLineFilter<unsigned char>;

}  // namespace tamis
