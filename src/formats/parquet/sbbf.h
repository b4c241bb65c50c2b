// SPDX-License-Identifier: Apache-2.0
// formats/parquet/sbbf.h -- Apache Parquet's split-block Bloom filter with the
// header that precedes it in a file; see docs/formats/parquet.md.

#pragma once

#include <cstdint>
#include <memory>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"

namespace tamis {

inline constexpr std::string_view kParquetFilterName =
    "parquet.SplitBlockFilter";

// The limit of Parquet's own writers.
inline constexpr std::uint64_t kMaxParquetBytes = std::uint64_t{128} << 20;

// Sizes are rounded up to a power of two, as Parquet's writers do; but a fixed
// number of bits is only rounded up to whole blocks.  A key has 8 probes,
// whatever the size.
// Also opens the obsolete form (Murmur3), which is never written, except when
// filters of that form are combined.
std::unique_ptr<const FilterPolicy> NewParquetPolicy(const BloomSizing& sizing);

// As FilterPolicy::Open(), of both forms.  Reading needs no settings.
Result<std::unique_ptr<const FilterReader>> OpenParquetFilter(Slice bytes);

}  // namespace tamis
