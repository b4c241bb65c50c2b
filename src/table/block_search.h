// SPDX-License-Identifier: Apache-2.0
// table/block_search.h -- looks up one key in a block, without an iterator and
// without allocating.

#pragma once

#include <cstdint>

#include "table/block.h"
#include "table/internal_key.h"
#include "tamis/slice.h"

namespace tamis {

struct BlockFind {
  enum class State { kAbsent, kFound, kDamaged };
  State state = State::kAbsent;
  // For kFound: the newest entry of that user key that is not newer than the
  // requested sequence.
  std::uint64_t trailer = 0;
  Slice value;
};

BlockFind FindInBlock(const Block& block, const KeyOrder& order,
                      const LookupKey& key);

}  // namespace tamis
