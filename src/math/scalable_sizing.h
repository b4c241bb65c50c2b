// SPDX-License-Identifier: Apache-2.0
// math/scalable_sizing.h -- the parts of a filter that grows without knowing
// how many keys will come.
//
// Part i is a cache-local filter for twice as many keys as part i - 1, and may
// err kScalableTightening times as often.  A key that is in no part is "maybe"
// if any part errs; so the whole never errs more often than the sum of all
// shares, however many parts there are:
//   share + share * t + share * t^2 + ...  =  share / (1 - t).
// (The idea: Almeida, Baquero, Preguica, Hutchison, "Scalable Bloom Filters",
// 2007.)

#pragma once

#include <cstdint>

namespace tamis {

// The shares are best in proportion to the chance that a filter stops growing
// at that part: this one suits filters that grow 10 to 100,000 times
// (docs/formats/tamis-scalable.md has the bits per key).
inline constexpr double kScalableTightening = 0.85;

// From one line on: more keys than 2^50.
inline constexpr unsigned kMaxScalableParts = 48;

// What the first part is made for; the others follow.
struct ScalableStart {
  double share = 0;            // of the rate; 0 < share < 1
  std::uint64_t capacity = 0;  // keys
};

struct ScalablePart {
  std::uint64_t capacity = 0;  // keys with which it errs as often as it may
  std::uint64_t lines = 0;     // of 512 bits; 0: no size errs so seldom
  unsigned probes = 0;
};

// The first part's share of a rate for the whole, and back.  The bound is that
// of any number of parts.
double FirstShareOfRate(double rate) noexcept;
double RateBoundOfShare(double first_share) noexcept;

// The first part for that many keys, and at least for what one line takes; 0:
// some 4,000, for those who cannot say.
ScalableStart StartScalable(double first_share,
                            std::uint64_t planned_keys) noexcept;

// The keys of part i, and all of it.  Sizes beyond 2^63 bits, or 2^64 keys,
// stay there.
std::uint64_t CapacityOfPart(const ScalableStart& start, unsigned i) noexcept;
ScalablePart PlanScalablePart(const ScalableStart& start, unsigned i) noexcept;

// The expected rate once `keys` different keys are in.
double ScalableRate(const ScalableStart& start, std::uint64_t keys) noexcept;

}  // namespace tamis
