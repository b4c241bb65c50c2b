// SPDX-License-Identifier: Apache-2.0
// formats/tamis/range.h -- kind 10 of the .tamis container: the range filter.
// Byte layout: docs/formats/tamis-range.md

#pragma once

#include <cstdint>
#include <memory>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"

namespace tamis {

// InvalidArgument: not between 3 and 32 bits per key, or another size.
Result<std::unique_ptr<const FilterPolicy>> NewTamisRangePolicy(
    const BloomSizing& sizing);

// As FilterPolicy::Open(), for bytes of this kind.
Result<std::unique_ptr<const FilterReader>> OpenTamisRange(Slice bytes);

// The same; *prepared_bytes is set to the memory that the reader takes beside
// the bytes, for what it makes ready for queries.
Result<std::unique_ptr<const FilterReader>> OpenTamisRange(
    Slice bytes, std::uint64_t* prepared_bytes);

}  // namespace tamis
