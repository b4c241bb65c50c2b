// SPDX-License-Identifier: Apache-2.0
// formats/always_maybe.h -- two filters without bits.  One for bytes whose
// meaning is reserved, or newer than this library: it rules nothing out.  One
// that rules out everything.

#pragma once

#include <memory>
#include <string>

#include "tamis/filter.h"

namespace tamis {

// `reason` says, for people, why nothing can be ruled out.
std::unique_ptr<const FilterReader> NewAlwaysMaybe(std::string format,
                                                   std::string reason);

// The filter for bytes by which a format says that no key was added.
std::unique_ptr<const FilterReader> NewNoKeys(std::string format);

}  // namespace tamis
