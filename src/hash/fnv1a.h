// SPDX-License-Identifier: Apache-2.0
// hash/fnv1a.h -- the hash of Fowler, Noll and Vo, variant 1a.

#pragma once

#include <cstdint>

#include "tamis/filter.h"

namespace tamis {

// FNV-1a of 64 bits.  Specification: IETF draft-eastlake-fnv.
constexpr std::uint64_t Fnv1a64(Slice data) noexcept {
  constexpr std::uint64_t kOffsetBasis = 0xcbf29ce484222325;
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t h = kOffsetBasis;
  for (const char c : data) h = (h ^ static_cast<unsigned char>(c)) * kPrime;
  return h;
}

}  // namespace tamis
