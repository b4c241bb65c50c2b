// SPDX-License-Identifier: Apache-2.0
// formats/teaching/md5_bloom.h -- the filter that hashes with the two halves of
// MD5; see docs/formats/md5.md.

#pragma once

#include <memory>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"

namespace tamis {

inline constexpr std::string_view kMd5FilterName = "md5.Bloom";

std::unique_ptr<const FilterPolicy> NewMd5Policy(const BloomSizing& sizing);

// As FilterPolicy::Open().  Reading needs no settings.
Result<std::unique_ptr<const FilterReader>> OpenMd5Bloom(Slice bytes);

}  // namespace tamis
