// SPDX-License-Identifier: Apache-2.0
// formats/tamis/cuckoo.h -- kind 7 of the .tamis container: cuckoo filters.
// Byte layout: docs/formats/tamis-cuckoo.md

#pragma once

#include <cstdint>
#include <memory>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"
#include "tamis/mutable_filter.h"

namespace tamis {

Result<std::unique_ptr<const FilterPolicy>> NewTamisCuckooPolicy(
    const BloomSizing& sizing, std::uint64_t seed);
// For mutable filters; errors are those of mutable_filter.h.
Result<std::unique_ptr<ErasableFilter>> NewTamisCuckoo(
    const BloomSizing& sizing, std::uint64_t seed, std::uint64_t planned_keys);
Result<std::unique_ptr<ErasableFilter>> LoadTamisCuckoo(Slice bytes);

// As FilterPolicy::Open(), for bytes of this kind.
Result<std::unique_ptr<const FilterReader>> OpenTamisCuckoo(Slice bytes);

}  // namespace tamis
