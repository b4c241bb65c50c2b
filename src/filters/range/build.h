// SPDX-License-Identifier: Apache-2.0
// filters/range/build.h -- from sorted keys to the parts of a range filter: the
// code that suits them best, their codes, and the groups of these.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "filters/range/code_groups.h"
#include "filters/range/key_code.h"
#include "tamis/slice.h"

namespace tamis {

struct RangeParts {
  std::string code;                   // bytes of a KeyCode
  std::vector<std::uint64_t> codes;   // ascending, without repeats
  std::vector<std::uint32_t> starts;  // of groups
  CellShape shape;
  // The part of the keys that shares a cell with another key: the rate of false
  // positives for keys that are spread as these are.
  double rate = 0;
};

// Returns the cells of a filter of so many bytes for codes and groups; the
// smallest ones that exist if there are not enough.
CellShape CellsFor(double bits, std::uint64_t groups,
                   std::uint64_t codes) noexcept;

// Makes the parts of a filter of `bits_per_key`, everything counted but the
// header of the container.  REQUIRES: `keys` ascend, without repeats, and are
// fewer than 2^32
RangeParts BuildRange(std::span<const Slice> keys, double bits_per_key);

}  // namespace tamis
