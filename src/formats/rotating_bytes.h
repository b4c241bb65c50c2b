// formats/rotating_bytes.h -- the bytes of a rotating filter, written and taken
// apart; docs/formats/tamis-rotating.md.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "filters/line_filter.h"
#include "formats/line_view.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// What the bytes state, the lines aside.  Generations have places that stay
// the same: the newest is at rotations mod generations, the oldest behind it.
struct RotatingFacts {
  std::uint64_t seed = 0;
  std::uint64_t lines = 0;  // of one generation
  unsigned probes = 0;
  std::uint64_t rotations = 0;
  std::vector<std::uint64_t> keys;  // of each generation, by its place

  unsigned generations() const noexcept {
    return static_cast<unsigned>(keys.size());
  }
  std::size_t newest() const noexcept {
    return static_cast<std::size_t>(rotations % keys.size());
  }
  std::uint64_t all_keys() const noexcept;
  std::size_t LinesAt() const noexcept;  // in the container
  std::uint64_t LineBytes() const noexcept;
  std::uint64_t TotalBytes() const noexcept;
};

// The generation at that place, in the lines of all.  The lines of one number
// lie side by side: a key has its line in every generation under the same
// number, so a query touches neighbours.
template <typename Byte>
BasicLineFilter<Byte> GenerationAt(const RotatingFacts& facts, Byte* lines,
                                   std::size_t place) noexcept {
  return {.lines = lines + place * kLineBytes,
          .count = facts.lines,
          .probes = TamisLineProbes(facts.probes),
          .stride = facts.generations() * kLineBytes};
}
// All of them, the newest first.
std::vector<LineFilter> GenerationsOf(const RotatingFacts& facts,
                                      const unsigned char* lines);

// Writes everything but the lines.  REQUIRES: `whole` is the container from
// end to end, its lines in place and the rest zero
void SealRotating(std::span<char> whole, const RotatingFacts& facts) noexcept;

struct ParsedRotating {
  RotatingFacts facts;
  Slice lines;               // of all generations
  std::string always_maybe;  // not empty: reserved (says why); nothing else is
                             // set
};

// Corruption: damaged, or not what this format could be.
Result<ParsedRotating> ParseRotating(Slice bytes);

}  // namespace tamis
