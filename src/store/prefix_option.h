// SPDX-License-Identifier: Apache-2.0
// store/prefix_option.h -- the prefix extractor that the options name.

#pragma once

#include <memory>
#include <string>

#include "table/internal_key.h"
#include "tamis/prefix.h"
#include "tamis/result.h"
#include "tamis/store_options.h"

namespace tamis {

// Returns it; null: there is none.  InvalidArgument: its text is not
// understood, its name is not allowed, there are two, or it has no meaning in
// that order.
Result<std::shared_ptr<const PrefixExtractor>> PrefixExtractorOf(
    const StoreOptions& options, const KeyOrder& order);

// Returns its name as tables store it; empty: there is none.
// REQUIRES: a text in the options is in its shortest form
std::string PrefixesNameOf(const StoreOptions& options);

}  // namespace tamis
