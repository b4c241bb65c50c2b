// SPDX-License-Identifier: Apache-2.0
// policy/bloom_bits.h -- the bits of a .tamis Bloom filter of any kind.

#pragma once

#include <cstdint>
#include <span>

#include "filters/bloom/block_shapes.h"
#include "formats/tamis/any_kind.h"
#include "formats/tamis/line_view.h"

namespace tamis {

inline bool HasBlocks(const TamisBloom& bloom) noexcept {
  return bloom.unit.blocks.has_value();
}

inline std::span<const unsigned char> BitsOf(const TamisBloom& bloom) noexcept {
  const Slice payload = bloom.parsed.payload;
  return {reinterpret_cast<const unsigned char*>(payload.data()),
          payload.size()};
}

// Calls visit(shape of its blocks).  REQUIRES: HasBlocks(bloom)
template <typename Visit>
auto VisitShape(const TamisBloom& bloom, const Visit& visit) {
  if (bloom.unit.blocks == BlockKind::kSplit) return visit(SplitBlockShape());
  return visit(LineShape(TamisLineProbes(bloom.parsed.parameters.probes)));
}

}  // namespace tamis
