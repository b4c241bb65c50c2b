// formats/scalable_bytes.h -- the bytes of a scalable filter, written and taken
// apart; docs/formats/tamis-scalable.md.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "math/scalable_sizing.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

struct ScalablePartFacts {
  std::uint64_t lines = 0;
  std::uint64_t keys = 0;
  unsigned probes = 0;
};

// What the bytes state, the lines aside.
struct ScalableFacts {
  std::uint64_t seed = 0;
  ScalableStart start;
  std::vector<ScalablePartFacts> parts;  // the oldest first

  std::uint64_t lines() const noexcept;
  std::uint64_t keys() const noexcept;
  std::size_t LinesAt() const noexcept;  // the first part's, in the container
  std::uint64_t TotalBytes() const noexcept;
};

// Writes everything but the lines.  REQUIRES: `whole` is the container from
// end to end, its lines in place and the rest zero
void SealScalable(std::span<char> whole, const ScalableFacts& facts) noexcept;

struct ParsedScalable {
  ScalableFacts facts;
  std::vector<Slice> lines;  // of each part, as many as its facts say
  std::string always_maybe;  // not empty: reserved (says why); nothing else is
                             // set
};

// Corruption: damaged, or not what this format could be.
Result<ParsedScalable> ParseScalable(Slice bytes);

}  // namespace tamis
