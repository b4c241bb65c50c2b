// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/back_substitution.h -- the second half of solving a part: from
// rows whose keys are eliminated to the bits of the table.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/wide_math.h"
#include "filters/ribbon/layout.h"
#include "filters/ribbon/part_elimination.h"

namespace tamis {

// Has the memory for one part.
template <typename Word>
class BackSubstitution {
 public:
  explicit BackSubstitution(const BumpedLayer& layer) : layer_(layer) {}

  // Writes the segments of the lane's part to `bytes`, where the layer starts.
  // REQUIRES: the lane is done
  void Run(const BumpedElimination<Word>& lane, unsigned char* bytes);

 private:
  template <typename Cell>
  void RunWith(const BumpedElimination<Word>& lane, unsigned char* bytes);

  const BumpedLayer& layer_;
  std::vector<unsigned char> cells_;
};

}  // namespace tamis
