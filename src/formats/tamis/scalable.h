// SPDX-License-Identifier: Apache-2.0
// formats/tamis/scalable.h -- kind 8 of the .tamis container: a filter that
// grows without a planned number of keys, and keeps the requested rate of false
// positives.
// Byte layout: docs/formats/tamis-scalable.md

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "filters/bloom/line_filter.h"
#include "formats/bloom_parameters.h"
#include "formats/tamis/line_view.h"
#include "math/scalable_sizing.h"
#include "tamis/filter.h"

namespace tamis {

struct ScalablePartParameters {
  std::uint64_t lines = 0;
  std::uint64_t keys = 0;
  unsigned probes = 0;

  // Returns the filter of the part, whose lines start there.
  template <typename Byte>
  BasicLineFilter<Byte> PartAt(Byte* at) const noexcept {
    return {.lines = at, .count = lines, .probes = TamisLineProbes(probes)};
  }
};

// What the bytes contain, except the lines; see
// formats/tamis/line_parts_policy.h.
struct ScalableParameters {
  static constexpr std::string_view kKindName = "scalable";

  std::uint64_t seed = 0;
  ScalableStart start;
  std::vector<ScalablePartParameters> parts;  // the oldest first

  std::uint64_t lines() const noexcept;
  std::uint64_t all_keys() const noexcept;
  std::size_t LinesAt() const noexcept;  // the first part's, in the container
  std::uint64_t LineBytes() const noexcept;
  std::uint64_t TotalBytes() const noexcept;
  template <typename Byte>
  BasicLineFilter<Byte> FirstPart(Byte* at) const noexcept {
    return parts.front().PartAt(at);
  }
  std::uint64_t& FirstKeys() noexcept { return parts.front().keys; }
  void Seal(std::span<char> whole) const noexcept;
};

// sizing.rate bounds the rate of the whole, for any number of keys;
// sizing.bits_per_key is that of the first part, and later ones take more.
// Planned keys are those of the first part; a builder plans for all of its
// keys, and its filters grow from there.  A key that is already "maybe" is
// neither inserted nor counted: so repeats cost nothing.  InvalidArgument: bits
// or probes are set, or no size meets the rate.
Result<std::unique_ptr<const FilterPolicy>> NewTamisScalablePolicy(
    const BloomSizing& sizing, std::uint64_t seed);

// As FilterPolicy::Open(), for bytes of this kind.
Result<std::unique_ptr<const FilterReader>> OpenTamisScalable(Slice bytes);

// As LoadMutable().
Result<std::unique_ptr<MutableFilter>> LoadTamisScalable(Slice bytes);

}  // namespace tamis
