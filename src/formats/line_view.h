// formats/line_view.h -- the cache-local filters of .tamis seen from a store,
// which asks many of them about one key: the key is hashed once for all that
// have the same seed, and their lines are fetched before any is looked at.

#pragma once

#include <cstdint>
#include <optional>

#include "base/wide_math.h"
#include "filters/line_bloom.h"
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

// The lines of one filter, in bytes that somebody else owns.
struct LineView {
  const unsigned char* lines = nullptr;
  std::uint64_t count = 0;  // of lines
  unsigned probes = 0;
  std::uint64_t seed = 0;
  std::uint64_t keys = 0;  // as stored; 0: unknown

  const unsigned char* LineOf(std::uint64_t digest) const noexcept {
    return lines + MultiplyHigh(digest, count) * kLineBytes;
  }
};

// The lines of a .tamis filter of the cache-local kind; nothing if the bytes
// are of another kind, damaged, or of a version that is not known.  Verifies
// both checksums.  REQUIRES: `bytes` outlives the view
std::optional<LineView> ViewLines(Slice bytes) noexcept;

inline std::uint64_t LineDigest(Slice key, std::uint64_t seed) noexcept {
  return Xxh3(key, seed);
}
// The bits of a digest that a line is asked for.
inline std::uint32_t LineBitsOf(std::uint64_t digest) noexcept {
  return static_cast<std::uint32_t>(digest);
}

}  // namespace tamis
