// policy/kind_settings.h -- what the settings mean to kinds that have some of
// their own.

#pragma once

#include "formats/tamis_fuse.h"
#include "formats/tamis_rotating.h"
#include "policy/settings.h"

namespace tamis {

// Stored bits per key where no size is given: about 1 % of false positives.
inline constexpr double kUsualCountingBits = 46;
inline constexpr double kUsualCuckooBits = 10.6;
inline constexpr double kUsualScalableBits = 14.5;  // of the first part
inline constexpr double kUsualRotatingBits = 13.2;  // of each generation

// 0: no cells are so wide; NewTamisFusePolicy() will say so.
inline unsigned FuseCellsFrom(const Settings& settings) noexcept {
  const BloomSizing& sizing = settings.sizing;
  if (sizing.rate > 0) return FuseCellBits(sizing.rate);
  const auto bits = static_cast<unsigned>(sizing.bits_per_key);
  return static_cast<double>(bits) == sizing.bits_per_key ? bits : 0;
}

inline RotatingSettings RotatingFrom(const Settings& settings) noexcept {
  RotatingSettings rotating;
  rotating.sizing = settings.sizing;
  if (settings.generations) rotating.generations = *settings.generations;
  return rotating;
}

}  // namespace tamis
