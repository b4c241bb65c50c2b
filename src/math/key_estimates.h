// SPDX-License-Identifier: Apache-2.0
// math/key_estimates.h -- how far the number of keys that set bits explain may
// lie from the truth.

#pragma once

#include <cstdint>

#include "math/blocked_bloom.h"

namespace tamis {

// One standard deviation of BloomKeysFromFill() over filters of `keys` keys:
// (m / k) sqrt((e^t - 1 - t) / m) with t = k n / m.
double BloomKeysDeviation(std::uint64_t bits, unsigned probes,
                          double keys) noexcept;

// Likewise of BlockedKeysFromFill(), which crowded blocks mislead somewhat
// more.
double BlockedKeysDeviation(const BlockedShape& shape, double keys) noexcept;

}  // namespace tamis
