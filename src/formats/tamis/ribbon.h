// SPDX-License-Identifier: Apache-2.0
// formats/tamis/ribbon.h -- kind 4 of the .tamis container: the bumped ribbon.
// Byte layout: docs/formats/tamis-ribbon.md

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "formats/bloom_parameters.h"
#include "formats/tamis/solved_builder.h"
#include "tamis/filter.h"

namespace tamis {

// InvalidArgument: not between 1 and 32 columns, or a fixed size.
Result<std::unique_ptr<const FilterPolicy>> NewTamisRibbonPolicy(
    const BloomSizing& sizing, std::uint64_t seed);

// Returns the columns for a rate or a number of bits per key; 0, or more than
// the maximum, if there are none.
std::uint32_t RibbonColumnsFor(const BloomSizing& sizing) noexcept;

// As FilterPolicy::Open(), for bytes of this kind.
Result<std::unique_ptr<const FilterReader>> OpenTamisRibbon(Slice bytes);

// Appends the filter that the policy of so many columns would build of these
// keys.  On error *dst may have grown.  REQUIRES: IsRibbonColumns(columns)
Status AppendTamisRibbon(const HashedKeys& keys, std::uint32_t columns,
                         const BuildOptions& options, std::string* dst);

}  // namespace tamis
