// SPDX-License-Identifier: Apache-2.0
// base/random_seed.h -- unpredictable seeds.

#pragma once

#include <cstdint>
#include <optional>

namespace tamis {

// Returns a seed from the operating system, or nothing if it has none.
std::optional<std::uint64_t> RandomSeed() noexcept;

}  // namespace tamis
