// SPDX-License-Identifier: Apache-2.0
// math/counting_sizing.h -- error rates and sizes of counting Bloom filters:
// lines of 128 counters (filters/bloom/counting_line.h).
//
// A query only asks which counters are 0, so this is the mathematics of
// cache-local filters (math/blocked_bloom.h) with lines a quarter as wide:
// chance spreads keys less evenly over them, and fewer probes are best.

#pragma once

#include <cstdint>

namespace tamis {

// Expected rate of false positives with n different keys in it.
// REQUIRES: lines > 0
double CountingRate(std::uint64_t lines, unsigned probes,
                    std::uint64_t keys) noexcept;

// How many different keys explain that many counters above 0.
double CountingKeysFromFill(std::uint64_t lines, unsigned probes,
                            std::uint64_t occupied) noexcept;

// The number of probes with which lines err least.
unsigned BestCountingProbes(double counters_per_key) noexcept;

// Counters per key at which many keys err at that rate; 0 where no size is
// enough.  REQUIRES: 0 < rate < 1
double CountersPerKey(double rate) noexcept;

}  // namespace tamis
