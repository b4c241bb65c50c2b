// SPDX-License-Identifier: Apache-2.0
// formats/tamis/any_kind.h -- filters of any kind in the .tamis container.

#pragma once

#include <memory>

#include "formats/tamis/kinds.h"
#include "tamis/filter.h"

namespace tamis {

// As FilterPolicy::Open(), for every kind.  Reading needs no settings.
Result<std::unique_ptr<const FilterReader>> OpenTamisFilter(Slice bytes);

// A policy that builds one kind and reads all of them.
// InvalidArgument: this kind has no such size.
Result<std::unique_ptr<const FilterPolicy>> NewTamisPolicy(
    TamisKind kind, const TamisSettings& settings);

struct TamisBloom {
  TamisKind kind = {};
  BloomUnit unit;
  ParsedBloom parsed;  // may be probed
};

// Parses a Bloom filter, for operations on its bits.
// Corruption: damaged.  NotSupported: another kind, or reserved.  REQUIRES:
// `bytes` outlives the result
Result<TamisBloom> ParseTamisBloom(Slice bytes);

// Returns why bytes of an unsuitable kind are refused: Corruption if they are
// damaged, else NotSupported: "filter kind 4 " and `what`.
Status RefuseTamis(Slice bytes, std::string_view what);

}  // namespace tamis
