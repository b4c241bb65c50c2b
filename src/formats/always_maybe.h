// formats/always_maybe.h -- the filter for bytes whose meaning is reserved,
// or newer than this library: it rules nothing out.

#pragma once

#include <memory>
#include <string>

#include "tamis/filter.h"

namespace tamis {

// `reason` says, for people, why nothing can be ruled out.
std::unique_ptr<const FilterReader> NewAlwaysMaybe(std::string format,
                                                   std::string reason);

}  // namespace tamis
