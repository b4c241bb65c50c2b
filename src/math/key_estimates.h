// SPDX-License-Identifier: Apache-2.0
// math/key_estimates.h -- how accurate a number of keys is that was estimated
// from the set bits.

#pragma once

#include <cstdint>

#include "math/blocked_bloom.h"

namespace tamis {

// Returns one standard deviation of BloomKeysFromFill() over filters of `keys`
// keys:
// (m / k) sqrt((e^t - 1 - t) / m) with t = k n / m.
double BloomKeysDeviation(std::uint64_t bits, unsigned probes,
                          double keys) noexcept;

// The same for BlockedKeysFromFill(), which is somewhat less accurate because
// of full blocks.
double BlockedKeysDeviation(const BlockedShape& shape, double keys) noexcept;

}  // namespace tamis
