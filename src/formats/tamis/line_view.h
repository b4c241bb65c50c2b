// SPDX-License-Identifier: Apache-2.0
// formats/tamis/line_view.h -- cache-local filters of .tamis for a store, which
// queries many of them for one key: the key is hashed once for all that have
// the same seed, and their lines are prefetched before any is checked.

#pragma once

#include <cstdint>
#include <optional>

#include "filters/bloom/line_bloom.h"
#include "filters/bloom/line_filter.h"
#include "hash/xxhash.h"
#include "tamis/slice.h"

namespace tamis {

// The factors of the probes into a line.  Their positions are as independent as
// random ones, measured to a tenth of a percent (docs/design/3-lines.md); a
// multiplier from Steele and Vigna, "Computationally easy, spectrally good
// multipliers for congruential pseudorandom number generators", 2021.
inline constexpr LineFactors kTamisLineFactors = PowersOf(0xadb4a92d);

// REQUIRES: probes <= kMaxLineProbes
constexpr LineProbes TamisLineProbes(unsigned probes) noexcept {
  return {kTamisLineFactors.data(), probes};
}

// A filter with the contents of its header.
struct LineView : LineFilter {
  std::uint64_t seed = 0;
  std::uint64_t keys = 0;  // as stored; 0: unknown
};

// Returns the lines of a .tamis filter of the cache-local kind; nothing if the
// bytes are of another kind, damaged, or of an unknown version.  Verifies both
// checksums.  REQUIRES: `bytes` outlives the view
std::optional<LineView> ViewLines(Slice bytes) noexcept;

inline std::uint64_t LineHash(Slice key, std::uint64_t seed) noexcept {
  return Xxh3(key, seed);
}

}  // namespace tamis
