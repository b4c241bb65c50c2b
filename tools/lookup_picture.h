// SPDX-License-Identifier: Apache-2.0
// lookup_picture.h -- the way of one lookup through a store, drawn.

#pragma once

#include <string>

#include "console.h"
#include "tamis/store.h"

namespace tamis::tools {

// A picture of at most 80 columns: the key on top, then the memory and the
// levels that were asked, an arrow down through them, and what came out below.
// It needs no colour, and takes it where the console wants it.  `stats` are
// those of the store; with `hex`, keys and the value are hexadecimal digits.
std::string DrawLookup(const Console& console, Slice key,
                       const Explanation& told, const StoreStats& stats,
                       bool hex);

}  // namespace tamis::tools
