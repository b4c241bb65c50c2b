// SPDX-License-Identifier: Apache-2.0
// formats/tamis/line_view.h -- the cache-local filters of .tamis seen from a
// store, which asks many of them about one key: the key is hashed once for all
// that have the same seed, and their lines are fetched before any is looked at.

#pragma once

#include <cstdint>
#include <optional>

#include "filters/bloom/line_bloom.h"
#include "filters/bloom/line_filter.h"
#include "hash/xxhash.h"
#include "tamis/slice.h"

namespace tamis {

// Of the probes into a line.  As independent as random positions are, measured
// to a tenth of a percent (docs/design/3-lines.md); a multiplier from Steele
// and Vigna, "Computationally easy, spectrally good multipliers for
// congruential pseudorandom number generators", 2021.
inline constexpr LineFactors kTamisLineFactors = PowersOf(0xadb4a92d);

// REQUIRES: probes <= kMaxLineProbes
constexpr LineProbes TamisLineProbes(unsigned probes) noexcept {
  return {kTamisLineFactors.data(), probes};
}

// A filter, with what its header states.
struct LineView : LineFilter {
  std::uint64_t seed = 0;
  std::uint64_t keys = 0;  // as stored; 0: unknown
};

// The lines of a .tamis filter of the cache-local kind; nothing if the bytes
// are of another kind, damaged, or of a version that is not known.  Verifies
// both checksums.  REQUIRES: `bytes` outlives the view
std::optional<LineView> ViewLines(Slice bytes) noexcept;

inline std::uint64_t LineHash(Slice key, std::uint64_t seed) noexcept {
  return Xxh3(key, seed);
}

}  // namespace tamis
