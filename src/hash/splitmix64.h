// SPDX-License-Identifier: Apache-2.0
// hash/splitmix64.h -- one step of the generator SplitMix64, as a mixer.

#pragma once

#include <cstdint>

namespace tamis {

// Returns the next number of the generator in state `x`: the state is advanced
// first,
// then mixed, so 0 does not map to 0.  A bijection of 64-bit words.
// Specification: Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators" (2014), with the constants of Vigna's splitmix64.c.
constexpr std::uint64_t SplitMix64(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

}  // namespace tamis
