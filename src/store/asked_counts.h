// SPDX-License-Identifier: Apache-2.0
// store/asked_counts.h -- how often lookups asked the levels of a store.

#pragma once

#include <array>
#include <cstdint>

#include "tamis/store_stats.h"

namespace tamis {

struct LevelAsked {
  std::uint64_t in_vain = 0;  // the key was not there
  std::uint64_t held = 0;     // it was
};

struct AskedCounts {
  std::uint64_t lookups = 0;
  std::array<LevelAsked, kStoreLevels> levels = {};
};

}  // namespace tamis
