// SPDX-License-Identifier: Apache-2.0
// formats/parquet/sbbf.h -- Apache Parquet's split-block Bloom filter with the
// header that stands before it in a file; see docs/formats/parquet.md.

#pragma once

#include <cstdint>
#include <memory>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"

namespace tamis {

inline constexpr std::string_view kParquetFilterName =
    "parquet.SplitBlockFilter";

// Parquet's own writers go no further.
inline constexpr std::uint64_t kMaxParquetBytes = std::uint64_t{128} << 20;

// Sizes are rounded up to a power of two, as Parquet's writers do; only a
// number of bits given in full is merely rounded up to whole blocks.  A key has
// 8 probes, whatever the size.
// Opens the obsolete form (Murmur3) as well; it is never written, save by
// combining filters of that form.
std::unique_ptr<const FilterPolicy> NewParquetPolicy(const BloomSizing& sizing);

// As FilterPolicy::Open(), of both forms.  Reading needs no settings.
Result<std::unique_ptr<const FilterReader>> OpenParquetFilter(Slice bytes);

}  // namespace tamis
