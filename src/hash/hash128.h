// SPDX-License-Identifier: Apache-2.0
// hash/hash128.h -- the result of a hash function that yields two words.

#pragma once

#include <cstdint>

namespace tamis {

struct Hash128 {
  std::uint64_t h1 = 0;
  std::uint64_t h2 = 0;

  friend constexpr bool operator==(const Hash128&, const Hash128&) = default;
};

}  // namespace tamis
