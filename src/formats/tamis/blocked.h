// SPDX-License-Identifier: Apache-2.0
// formats/tamis/blocked.h -- kinds 2 and 3 of the .tamis container: the
// cache-local Bloom filter, which is the default, and the split-block one.
// Byte layout: docs/formats/tamis.md

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "formats/bloom_parameters.h"
#include "formats/tamis/solved_builder.h"
#include "tamis/filter.h"

namespace tamis {

// InvalidArgument: no size meets the rate of `sizing`.
Result<std::unique_ptr<const FilterPolicy>> NewTamisLinePolicy(
    const BloomSizing& sizing, std::uint64_t seed);
Result<std::unique_ptr<const FilterPolicy>> NewTamisSplitBlockPolicy(
    const BloomSizing& sizing, std::uint64_t seed);

// Appends the cache-local filter that NewTamisLinePolicy() would build of these
// keys.  On error *dst may have grown.  InvalidArgument: as there.
Status AppendTamisLines(const HashedKeys& keys, const BloomSizing& sizing,
                        std::string* dst);

// As FilterPolicy::Open() and Combine(), for bytes of this kind.
Result<std::unique_ptr<const FilterReader>> OpenTamisLine(Slice bytes);
Result<std::unique_ptr<const FilterReader>> OpenTamisSplitBlock(Slice bytes);
Status CombineTamisLine(std::span<const Slice> filters, SetOperation operation,
                        std::string* dst);
Status CombineTamisSplitBlock(std::span<const Slice> filters,
                              SetOperation operation, std::string* dst);

// Parses the bytes, for operations on the bits.
Result<ParsedBloom> ParseTamisLine(Slice bytes);
Result<ParsedBloom> ParseTamisSplitBlock(Slice bytes);

// As LoadMutable().
Result<std::unique_ptr<MutableFilter>> LoadTamisLine(Slice bytes);
Result<std::unique_ptr<MutableFilter>> LoadTamisSplitBlock(Slice bytes);

}  // namespace tamis
