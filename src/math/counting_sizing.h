// SPDX-License-Identifier: Apache-2.0
// math/counting_sizing.h -- error rates and sizes of counting Bloom filters:
// lines of 128 counters (filters/bloom/counting_line.h).
//
// A query only tests whether counters are 0, so the mathematics is that of
// cache-local filters (math/blocked_bloom.h) with lines a quarter as wide:
// loads vary more, and fewer probes are best.

#pragma once

#include <cstdint>

namespace tamis {

// Returns the expected rate of false positives with n distinct keys.
// REQUIRES: lines > 0
double CountingRate(std::uint64_t lines, unsigned probes,
                    std::uint64_t keys) noexcept;

// Estimates the number of distinct keys from the counters above 0.
double CountingKeysFromFill(std::uint64_t lines, unsigned probes,
                            std::uint64_t occupied) noexcept;

// Returns the number of probes with the lowest rate.
unsigned BestCountingProbes(double counters_per_key) noexcept;

// Returns the counters per key with which many keys have that rate; 0 if no
// size suffices.  REQUIRES: 0 < rate < 1
double CountersPerKey(double rate) noexcept;

}  // namespace tamis
