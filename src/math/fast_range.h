// SPDX-License-Identifier: Apache-2.0
// math/fast_range.h -- maps hashes to parts by a multiplication.
//
// (Lemire, "Fast random integer generation in an interval", 2019.)  Parts cover
// equally many hashes, give or take one, in ascending order: sorted hashes
// visit the parts one after the other.

#pragma once

#include <cstdint>

#include "base/wide_math.h"

namespace tamis {

// Returns the part of a hash, 0 to parts - 1.  REQUIRES: parts > 0
constexpr std::uint64_t FastRange(std::uint64_t hash,
                                  std::uint64_t parts) noexcept {
  return MultiplyHigh(hash, parts);
}

// Returns the least hash whose part is `part` or a later one.  REQUIRES: part <
// parts; for part == parts the result, 2^64, wraps to 0
constexpr std::uint64_t FirstHashOf(std::uint64_t part,
                                    std::uint64_t parts) noexcept {
  const Uint128 bound = static_cast<Uint128>(part) << 64;
  return static_cast<std::uint64_t>((bound + parts - 1) / parts);
}

}  // namespace tamis
