// SPDX-License-Identifier: Apache-2.0
// formats/tamis/counting.h -- kind 6 of the .tamis container: counting Bloom.
// Byte layout: docs/formats/tamis-counting.md

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"
#include "tamis/mutable_filter.h"

namespace tamis {

Result<std::unique_ptr<const FilterPolicy>> NewTamisCountingPolicy(
    const BloomSizing& sizing, std::uint64_t seed);
// For mutable filters; errors are those of mutable_filter.h.
Result<std::unique_ptr<ErasableFilter>> NewTamisCounting(
    const BloomSizing& sizing, std::uint64_t seed, std::uint64_t planned_keys);
Result<std::unique_ptr<ErasableFilter>> LoadTamisCounting(Slice bytes);

// As FilterPolicy::Open() and Combine(), for bytes of this kind.
Result<std::unique_ptr<const FilterReader>> OpenTamisCounting(Slice bytes);
Status CombineTamisCounting(std::span<const Slice> filters,
                            SetOperation operation, std::string* dst);

}  // namespace tamis
