// SPDX-License-Identifier: Apache-2.0
// formats/prefix_reader.h -- a filter that has the prefixes of its keys, too,
// each as if it were a key.

#pragma once

#include <memory>
#include <string_view>

#include "tamis/filter.h"
#include "tamis/prefix_filter.h"

namespace tamis {

// REQUIRES: neither is null
std::unique_ptr<const FilterReader> NewPrefixReader(
    std::unique_ptr<const FilterReader> filter,
    std::shared_ptr<const PrefixExtractor> extractor, PrefixContents contents);

// The same for an extractor that is not known here: asked for prefixes, it says
// "maybe".
std::unique_ptr<const FilterReader> NewUnknownPrefixReader(
    std::unique_ptr<const FilterReader> filter, std::string_view name);

}  // namespace tamis
