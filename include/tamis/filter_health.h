// SPDX-License-Identifier: Apache-2.0
// tamis/filter_health.h -- the state of split-block filters in one word; of
// other Bloom filters it is in tamis/bloom_math.h.

#pragma once

#include <cstdint>

#include "tamis/bloom_math.h"
#include "tamis/export.h"

namespace tamis {

// As BloomHealthOf(), for split blocks, which set eight bits per key whatever
// their size: kSaturated is over 70 % (a rate of 6 %), kOversized less than an
// eighth.
TAMIS_EXPORT BloomHealth SplitBlockHealthOf(std::uint64_t bits,
                                            std::uint64_t set_bits) noexcept;

}  // namespace tamis
