// SPDX-License-Identifier: Apache-2.0
// formats/tamis/fuse.h -- kind 5 of the .tamis container: binary fuse filters.
// Byte layout: docs/formats/tamis-fuse.md

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "formats/bloom_parameters.h"
#include "formats/tamis/solved_builder.h"
#include "tamis/filter.h"

namespace tamis {

struct FuseSettings {
  unsigned cell_bits = 8;  // 8, 16 or 32
  unsigned arity = 3;      // 3 or 4
};

// Returns the cell bits that meet a rate; 0: none do.
unsigned FuseCellBits(double rate) noexcept;
// The same for a rate or a number of bits per key, which must then be whole.
unsigned FuseCellsFor(const BloomSizing& sizing) noexcept;

// InvalidArgument: no such cells, or no such arity.
Result<std::unique_ptr<const FilterPolicy>> NewTamisFusePolicy(
    const FuseSettings& settings, std::uint64_t seed);

// As FilterPolicy::Open(), for bytes of this kind.
Result<std::unique_ptr<const FilterReader>> OpenTamisFuse(Slice bytes);

// Appends the filter that the policy of these settings would build of these
// keys.  On error *dst may have grown.  REQUIRES: there are such cells
Status AppendTamisFuse(const HashedKeys& keys, const FuseSettings& settings,
                       const BuildOptions& options, std::string* dst);

}  // namespace tamis
