// SPDX-License-Identifier: Apache-2.0
// formats/teaching/lab_bloom.h -- the lab format: FNV-1a 64, SplitMix64,
// textbook size; see docs/formats/lab.md.

#pragma once

#include <memory>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"

namespace tamis {

std::unique_ptr<const FilterPolicy> NewLabPolicy(const BloomSizing& sizing);

}  // namespace tamis
