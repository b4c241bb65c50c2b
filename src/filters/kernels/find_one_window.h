// SPDX-License-Identifier: Apache-2.0
// filters/kernels/find_one_window.h -- FindWindow() of filters/ribbon/query.h
// for one key, in registers.  Its functions are `static`: each file that
// includes this is compiled for its own CPU and must keep its own copy.

#pragma once

#include <cstddef>
#include <cstdint>

#include "filters/ribbon/kernel_types.h"

namespace tamis {

// A window, as WindowQueries has many.
struct FoundWindow {
  const unsigned char* words;
  const unsigned char* levels;
  std::uint64_t masks[2];
  std::uint64_t fingerprint;  // its lower 32 bits
  std::uint64_t row;
  std::size_t stride;
  unsigned columns;
};

// All segments have kColumns columns; 0: any numbers.  There is no branch:
// where a window starts cannot be predicted.
template <unsigned kColumns>
[[gnu::always_inline]] static inline FoundWindow FindOneWindow(
    std::uint64_t hash, const WindowLayer& layer) noexcept {
  FoundWindow found;
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(hash) * layer.buckets;
  const auto bucket = static_cast<std::uint64_t>(product >> 64);
  const std::uint64_t next = bucket + 1;
  const auto ends = static_cast<std::uint64_t>(
      static_cast<unsigned>((next & layer.part_mask) == 0) |
      static_cast<unsigned>(next == layer.buckets));
  const std::uint64_t starts = 127 - 63 * ends;
  const auto fraction = static_cast<std::uint64_t>(product);
  found.row =
      static_cast<std::uint64_t>((static_cast<Wide>(fraction) * starts) >> 64);

  std::uint64_t mixed = hash * 0x9e3779b97f4a7c15;
  mixed ^= mixed >> 32;
  const std::uint64_t coefficients = (mixed * 0xd6e8feb86659fd93) | 1;
  found.fingerprint = (mixed * 0xff51afd7ed558ccd) >> 32;

  const std::uint64_t second = found.row >> 6;  // 0 or 1
  const std::uint64_t start = found.row & 63;
  found.masks[0] = (coefficients << start) & (~std::uint64_t{0} >> second);
  found.masks[1] = coefficients >> (63 - second - start) >> 1;

  const std::uint64_t segment = 2 * bucket + second;
  const unsigned columns = kColumns != 0 ? kColumns : layer.least_columns;
  const std::uint64_t wide = kColumns != 0 ? 0 : layer.wide_segments;
  const std::uint64_t words =
      segment * columns + (segment < wide ? segment : wide);
  found.words = layer.bytes + 8 * words;
  found.stride = 8 * (columns + std::size_t{segment < wide});
  found.columns = columns + static_cast<unsigned>(segment + 1 < wide);
  // One segment further, if this is the first of its pair.
  found.levels = found.words + (found.stride & (second - 1));
  return found;
}

}  // namespace tamis
