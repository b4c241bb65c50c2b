// formats/tamis_ribbon.h -- kind 4 of the .tamis container: the bumped ribbon.
// Byte layout: docs/formats/tamis-ribbon.md

#pragma once

#include <cstdint>
#include <memory>

#include "formats/bloom_facts.h"
#include "tamis/filter.h"

namespace tamis {

// InvalidArgument: not between 1 and 32 columns, or a size that is fixed.
Result<std::unique_ptr<const FilterPolicy>> NewTamisRibbonPolicy(
    const BloomSizing& sizing, std::uint64_t seed);

}  // namespace tamis
