// SPDX-License-Identifier: Apache-2.0
// base/random_seed.h -- seeds that nobody can foresee.

#pragma once

#include <cstdint>
#include <optional>

namespace tamis {

// From the operating system; nothing where it has none to give.
std::optional<std::uint64_t> RandomSeed() noexcept;

}  // namespace tamis
