// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/standard_build.h -- solves the equations of
// filters/ribbon/standard.h.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/huge_pages.h"
#include "filters/ribbon/standard.h"
#include "sort/hash_buckets.h"

namespace tamis {

// Equations in echelon form: at most one per row, which is its first.  The
// result depends on the set of equations, not on their order.
class RibbonBanding {
 public:
  // Allocates that many rows, all empty.  False: no memory.
  // REQUIRES: slots is a multiple of 128, at least 256
  bool Reserve(std::uint64_t slots) noexcept;

  // Removes all equations.
  void Clear() noexcept;

  // Adds the equations of these rehashes.  False: one contradicts those
  // before it, so that this seed has no solution; Clear() before the next.
  // Fast if the equations start near each other.
  // REQUIRES: starts is that of the reserved slots
  bool Add(std::span<const std::uint64_t> rehashes,
           std::uint64_t starts) noexcept;

  // Writes shape.segments segments; rows without an equation become 0.
  // REQUIRES: shape.blocks is that of the reserved slots
  void Solve(const RibbonShape& shape, unsigned char* segments) const noexcept;

 private:
  // Coefficients, bit 0 of `low` being this row.  It is always set: `low` is 0
  // only if there is no equation.
  struct Row {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
  };

  std::uint64_t slots_ = 0;
  MemoryBlock<unsigned char> memory_;
  // Both in memory_, slots_ of them.
  Row* rows_ = nullptr;
  std::uint32_t* results_ = nullptr;
};

enum class RibbonOutcome {
  kSolvable,
  kContradiction,  // try another seed
  kNoMemory,
};

// Calls RibbonBanding::Add() for all of them, sorted by start so far that the
// rows stay in a cache.
RibbonOutcome AddSorted(const HashBuckets& rehashes, std::uint64_t starts,
                        RibbonBanding* banding) noexcept;

}  // namespace tamis
