// SPDX-License-Identifier: Apache-2.0
// base/wide_math.h -- the upper half of a 64 x 64-bit product.

#pragma once

#include <cstdint>

namespace tamis {

// __extension__: ISO C++ has no 128-bit integers, every compiler we use does.
__extension__ using Uint128 = unsigned __int128;

constexpr std::uint64_t MultiplyHigh(std::uint64_t a,
                                     std::uint64_t b) noexcept {
  return static_cast<std::uint64_t>((static_cast<Uint128>(a) * b) >> 64);
}

}  // namespace tamis
