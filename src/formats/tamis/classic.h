// SPDX-License-Identifier: Apache-2.0
// formats/tamis/classic.h -- kind 1 of our own container: the unblocked Bloom
// filter with any number of bits and probes; see docs/formats/tamis.md.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"

namespace tamis {

// `seed` goes into the hash and is stored: choose it at random if keys may come
// from an adversary.
std::unique_ptr<const FilterPolicy> NewTamisClassicPolicy(
    const BloomSizing& sizing, std::uint64_t seed);

// As FilterPolicy::Open() and Combine(), for bytes of this kind.
Result<std::unique_ptr<const FilterReader>> OpenTamisClassic(Slice bytes);
Status CombineTamisClassic(std::span<const Slice> filters,
                           SetOperation operation, std::string* dst);

// Parses the bytes, for operations on the bits.
Result<ParsedBloom> ParseTamisClassic(Slice bytes);

// As LoadMutable().
Result<std::unique_ptr<MutableFilter>> LoadTamisClassic(Slice bytes);

}  // namespace tamis
