// SPDX-License-Identifier: Apache-2.0
// math/scalable_sizing.h -- the parts of a filter that grows without a planned
// number of keys.
//
// Part i is a cache-local filter for twice as many keys as part i - 1, and has
// kScalableTightening times its rate.  An absent key is "maybe" if any part
// gives a false positive; so the rate of the whole is at most the sum of all
// shares, for any number of parts:
//   share + share * t + share * t^2 + ...  =  share / (1 - t).
// (The idea: Almeida, Baquero, Preguica, Hutchison, "Scalable Bloom Filters",
// 2007.)

#pragma once

#include <cstdint>

namespace tamis {

// Ideally the shares are proportional to the probability that a filter stops
// growing at that part: this value suits filters that grow by a factor of 10 to
// 100,000 (docs/formats/tamis-scalable.md has the bits per key).
inline constexpr double kScalableTightening = 0.85;

// Enough for more than 2^50 keys, starting with one line.
inline constexpr unsigned kMaxScalableParts = 48;

// The plan of the first part, which determines the others.
struct ScalableStart {
  double share = 0;            // of the rate; 0 < share < 1
  std::uint64_t capacity = 0;  // keys
};

struct ScalablePart {
  std::uint64_t capacity = 0;  // keys with which it reaches its share
  std::uint64_t lines = 0;     // of 512 bits; 0: no size has so low a rate
  unsigned probes = 0;
};

// Convert between the rate of the whole and the first part's share of it.  The
// rate is the bound for any number of parts.
double FirstShareOfRate(double rate) noexcept;
double RateBoundOfShare(double first_share) noexcept;

// Returns the first part for that many keys, and for at least what one line
// holds; 0: some 4,000, if the number is unknown.
ScalableStart StartScalable(double first_share,
                            std::uint64_t planned_keys) noexcept;

// Return the capacity of part i, and the whole part.  Saturate at 2^63 bits and
// 2^64 keys.
std::uint64_t CapacityOfPart(const ScalableStart& start, unsigned i) noexcept;
ScalablePart PlanScalablePart(const ScalableStart& start, unsigned i) noexcept;

// Returns the expected rate with `keys` distinct keys.
double ScalableRate(const ScalableStart& start, std::uint64_t keys) noexcept;

}  // namespace tamis
