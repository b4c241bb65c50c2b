// SPDX-License-Identifier: Apache-2.0
// formats/teaching/md5_bloom.h -- the filter that hashes with the two halves of
// MD5; see docs/formats/md5.md.

#pragma once

#include <memory>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"

namespace tamis {

std::unique_ptr<const FilterPolicy> NewMd5Policy(const BloomSizing& sizing);

}  // namespace tamis
