// SPDX-License-Identifier: Apache-2.0
// formats/always_maybe.h -- two filters without bits: one for bytes whose
// meaning is reserved or newer than this library, which rules nothing out, and
// one that rules out everything.

#pragma once

#include <memory>
#include <string>

#include "tamis/filter.h"

namespace tamis {

// `reason` tells people why nothing can be ruled out.
std::unique_ptr<const FilterReader> NewAlwaysMaybe(std::string format,
                                                   std::string reason);

// The filter for bytes that mean, in their format, that no key was added.
std::unique_ptr<const FilterReader> NewNoKeys(std::string format);

}  // namespace tamis
