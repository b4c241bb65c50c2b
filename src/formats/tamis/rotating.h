// SPDX-License-Identifier: Apache-2.0
// formats/tamis/rotating.h -- kind 9 of the .tamis container: a filter whose
// keys expire by generations.
// Byte layout: docs/formats/tamis-rotating.md

#pragma once

#include <cstdint>
#include <memory>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"
#include "tamis/mutable_filter.h"

namespace tamis {

inline constexpr unsigned kMinGenerations = 2;
inline constexpr unsigned kMaxGenerations = 64;

// sizing.rate is that of the whole filter with the planned keys in every
// generation; bits and bits per key are those of one generation.
struct RotatingSettings {
  BloomSizing sizing;
  unsigned generations = 4;
};

// Planned keys are those of one generation.  A builder puts all keys into the
// newest.  Predict() and RateAt() are about a filter that has been in use for
// some time: every generation has that many keys.
// InvalidArgument: the number of generations or probes is not valid, or no size
// meets the rate.
Result<std::unique_ptr<const FilterPolicy>> NewTamisRotatingPolicy(
    const RotatingSettings& settings, std::uint64_t seed);
Result<std::unique_ptr<RotatingFilter>> NewTamisRotating(
    const RotatingSettings& settings, std::uint64_t seed,
    std::uint64_t planned_keys);

// As FilterPolicy::Open(), for bytes of this kind.
Result<std::unique_ptr<const FilterReader>> OpenTamisRotating(Slice bytes);

// As LoadRotating().
Result<std::unique_ptr<RotatingFilter>> LoadTamisRotating(Slice bytes);

}  // namespace tamis
