// SPDX-License-Identifier: Apache-2.0
// lookup_picture.h -- draws the path of one lookup through a store.

#pragma once

#include <string>

#include "console.h"
#include "tamis/store.h"

namespace tamis::tools {

// Returns a picture: the key on top, then the memory and the levels that were
// searched, an arrow down through them, and the result below.  Colours are used
// if the console has them.  `stats` are those of the store; with `hex`, keys
// and the value are hexadecimal digits.
std::string DrawLookup(const Console& console, Slice key,
                       const Explanation& told, const StoreStats& stats,
                       bool hex);

}  // namespace tamis::tools
