// SPDX-License-Identifier: Apache-2.0
// formats/teaching/lab_bloom.h -- the lab format: FNV-1a 64, SplitMix64,
// textbook size; see docs/formats/lab.md.

#pragma once

#include <memory>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"

namespace tamis {

inline constexpr std::string_view kLabFilterName = "lab.BloomFnvSplitMix";

std::unique_ptr<const FilterPolicy> NewLabPolicy(const BloomSizing& sizing);

// As FilterPolicy::Open().  Reading needs no settings.
Result<std::unique_ptr<const FilterReader>> OpenLabBloom(Slice bytes);

}  // namespace tamis
