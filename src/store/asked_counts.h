// SPDX-License-Identifier: Apache-2.0
// store/asked_counts.h -- how often lookups asked the levels of a store.

#pragma once

#include <array>
#include <cstdint>

#include "tamis/store_stats.h"

namespace tamis {

struct LevelAsked {
  std::uint64_t in_vain = 0;  // the key was not there
  std::uint64_t held = 0;     // it was
};

struct AskedCounts {
  std::uint64_t lookups = 0;
  std::array<LevelAsked, kStoreLevels> levels = {};
};

// Counts in which what is old weighs less: whenever there were as many lookups
// as make an epoch, all counts before are halved.  Not thread-safe.
class FadingCounts {
 public:
  explicit FadingCounts(std::uint64_t lookups_of_an_epoch) noexcept
      : epoch_(lookups_of_an_epoch) {}

  // Counts of an earlier time, to which all others are added.
  void Remember(const AskedCounts& earlier) noexcept { faded_ = earlier; }
  // `total`: all that was counted since, which only grows.
  AskedCounts At(const AskedCounts& total) const noexcept {
    AskedCounts sum = faded_;
    sum.lookups += total.lookups - counted_.lookups;
    for (std::size_t i = 0; i < sum.levels.size(); ++i) {
      sum.levels[i].in_vain +=
          total.levels[i].in_vain - counted_.levels[i].in_vain;
      sum.levels[i].held += total.levels[i].held - counted_.levels[i].held;
    }
    return sum;
  }
  // Ends the epoch if it has lasted long enough.
  void Advance(const AskedCounts& total) noexcept {
    if (total.lookups - counted_.lookups < epoch_) return;
    faded_ = At(total);
    faded_.lookups /= 2;
    for (LevelAsked& level : faded_.levels) {
      level.in_vain /= 2;
      level.held /= 2;
    }
    counted_ = total;
  }

 private:
  std::uint64_t epoch_;
  AskedCounts faded_;
  AskedCounts counted_;  // what of the total is in faded_
};

}  // namespace tamis
