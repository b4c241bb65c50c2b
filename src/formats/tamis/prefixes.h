// SPDX-License-Identifier: Apache-2.0
// formats/tamis/prefixes.h -- a filter of keys and their prefixes: the name of
// the extractor, then a filter of another kind.  docs/formats/tamis-prefix.md
// is the format.

#pragma once

#include <memory>
#include <string>

#include "formats/tamis/container.h"
#include "tamis/filter.h"
#include "tamis/prefix.h"

namespace tamis {

// Returns true for bytes that claim to be such a filter, unchecked.
bool ClaimsPrefixes(Slice bytes) noexcept;

// As FilterPolicy::Open(), for such bytes.  `extractor`, which may be null, is
// used if the bytes name it; otherwise the one that their name means to
// MakePrefixExtractor(); if it means nothing there, prefixes are "maybe".
Result<std::unique_ptr<const FilterReader>> OpenTamisPrefixes(
    Slice bytes, std::shared_ptr<const PrefixExtractor> extractor);

// Makes the filter at the end of *dst, from `start` on, which has prefixes of
// that extractor, such a filter.  ResourceExhausted: there is no memory, and
// *dst ends at `start`.  REQUIRES: the name has 1 to 64 bytes
Status WrapTamisPrefixes(std::string_view name, std::size_t start,
                         std::string* dst);

// What that adds to a filter.
inline constexpr std::size_t kTamisPrefixBytes = kTamisHeaderBytes + 64;

}  // namespace tamis
