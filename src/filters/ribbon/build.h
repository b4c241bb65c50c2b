// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/build.h -- a whole bumped ribbon filter: its layers, each
// with the keys that the one before bumped, and the last few keys.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "filters/ribbon/fallback.h"
#include "filters/ribbon/layout.h"
#include "sort/hash_set.h"
#include "tamis/filter.h"

namespace tamis {

// What is stored, in this order: the layers, then the fallback table.
struct BumpedFilter {
  BumpedLayout shape;
  std::vector<std::uint64_t> layers;  // buckets of each
  BumpedFallback last;

  std::uint64_t bytes() const noexcept;
};

// More layers than any set of keys needs; keys that are then left are listed.
inline constexpr std::size_t kMaxBumpedLayers = 16;

// Appends the filter of `hashes` to *dst.  `columns` as BumpedLayout::Of()
// takes it.  The bytes depend on the hashes alone.
// REQUIRES: Seal() of `hashes` was ok
// ResourceExhausted, IoError: *dst may have grown.
Result<BumpedFilter> BuildBumped(std::uint32_t columns, KeyHashSet* hashes,
                                 const BuildOptions& options, std::string* dst);

// Predicts the result of BuildBumped() for that many distinct hashes.
BumpedFilter PredictBumped(std::uint32_t columns, std::uint64_t keys);

}  // namespace tamis
