// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/back_substitution.h -- the second half of solving a part: from
// the rows of eliminated keys to the bits of the table.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/wide_math.h"
#include "filters/ribbon/layout.h"
#include "filters/ribbon/part_elimination.h"

namespace tamis {

// Owns the memory for one part.
template <typename Word>
class BackSubstitution {
 public:
  explicit BackSubstitution(const BumpedLayer& layer) : layer_(layer) {}

  // Writes the segments of the lane's part; `bytes` is the start of the layer.
  // REQUIRES: the lane is done
  void Run(const BumpedElimination<Word>& lane, unsigned char* bytes);

 private:
  template <typename Cell>
  void RunWith(const BumpedElimination<Word>& lane, unsigned char* bytes);

  const BumpedLayer& layer_;
  std::vector<unsigned char> cells_;
};

}  // namespace tamis
