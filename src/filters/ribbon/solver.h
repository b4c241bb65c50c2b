// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/solver.h -- finds the table of a layer, part by part, and the
// keys that must be bumped.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "filters/ribbon/layout.h"

namespace tamis {

// Owns the memory for some parts, and may be reused for any number.
class BumpedSolver {
 public:
  // Parts that Solve() processes at a time, so that the latencies of their
  // memory accesses and dependent steps overlap.
  static constexpr std::uint64_t kPartsAtOnce = 8;

  explicit BumpedSolver(const BumpedLayer& layer);
  ~BumpedSolver();
  BumpedSolver(const BumpedSolver&) = delete;
  BumpedSolver& operator=(const BumpedSolver&) = delete;

  // Solves the parts from `first_part` on, up to kPartsAtOnce of them, for
  // `hashes`: all of theirs, ascending and distinct.  Writes their segments to
  // the layer, which starts at `layer`, and appends the hashes of the bumped
  // keys, ascending, to *bumped.  Throws std::bad_alloc.
  void Solve(std::uint64_t first_part, std::span<const std::uint64_t> hashes,
             unsigned char* layer, std::vector<std::uint64_t>* bumped);

 private:
  class Impl;
  template <typename Word>
  class ImplOf;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tamis
