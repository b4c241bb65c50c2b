// formats/tamis_blocked.h -- kinds 2 and 3 of the .tamis container: the
// cache-local Bloom filter, which is the default, and the split-block one.
// Byte layout: docs/formats/tamis.md

#pragma once

#include <memory>

#include "formats/bloom_facts.h"
#include "tamis/filter.h"

namespace tamis {

// InvalidArgument: no size reaches the rate that `sizing` asks for.
Result<std::unique_ptr<const FilterPolicy>> NewTamisLinePolicy(
    const BloomSizing& sizing, std::uint64_t seed);
Result<std::unique_ptr<const FilterPolicy>> NewTamisSplitBlockPolicy(
    const BloomSizing& sizing, std::uint64_t seed);

}  // namespace tamis
