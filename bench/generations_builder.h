// SPDX-License-Identifier: Apache-2.0
// bench/generations_builder.h -- a rotating filter after some time in use:
// every generation has its keys.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/filter.h"

namespace tamis::bench {

// Rotates after each `keys_per_generation` keys.  All keys stay in if there
// are at most that many times the generations.
std::unique_ptr<FilterBuilder> NewGenerationsBuilder(
    const std::string& spec, std::uint64_t keys_per_generation);

}  // namespace tamis::bench
