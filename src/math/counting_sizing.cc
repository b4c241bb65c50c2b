// SPDX-License-Identifier: Apache-2.0
#include "math/counting_sizing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/binomial.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

constexpr std::uint64_t kCountersOfLine = 128;

// Returns the rate for so many keys that their number does not matter: the
// binomial distribution is then close to Poisson's.
double RateAtCounters(double counters_per_key) noexcept {
  constexpr double kMany = 1e12;
  const unsigned probes = BestCountingProbes(counters_per_key);
  const double chance = kCountersOfLine / counters_per_key / kMany;
  return MeanRate({kMany, chance}, [probes](std::uint64_t keys) {
    return BloomRate(kCountersOfLine, keys, probes);
  });
}

}  // namespace

double CountingRate(std::uint64_t lines, unsigned probes,
                    std::uint64_t keys) noexcept {
  const auto rate_in_line = [probes](std::uint64_t in_line) {
    return BloomRate(kCountersOfLine, in_line, probes);
  };
  if (keys == 0) return 0.0;
  if (lines <= 1) return rate_in_line(keys);
  const double n = static_cast<double>(keys);
  const double chance = 1 / static_cast<double>(lines);
  // Far beyond what fills every line, the variance no longer matters.
  constexpr double kFull = 1e5;
  if (n * chance > kFull) {
    return rate_in_line(static_cast<std::uint64_t>(n * chance));
  }
  return MeanRate({n, chance}, rate_in_line);
}

double CountingKeysFromFill(std::uint64_t lines, unsigned probes,
                            std::uint64_t occupied) noexcept {
  const double all = static_cast<double>(lines) * kCountersOfLine;
  // As in BloomKeysFromFill(): if all are occupied, count half a counter less.
  const double set = std::min(static_cast<double>(occupied), all - 0.5);
  // A counter stays 0 with probability 1 - hit for each key of its line; over
  // lines with Poisson-distributed loads, with probability exp(-load * hit).
  const double hit =
      -std::expm1(probes * std::log1p(-1.0 / double{kCountersOfLine}));
  return -static_cast<double>(lines) * std::log1p(-set / all) / hit;
}

unsigned BestCountingProbes(double counters_per_key) noexcept {
  // Up to kUpTo[i] counters per key, i + 1 probes are best; these are the
  // points where the rates of i + 1 and i + 2 probes cross.
  constexpr std::array kUpTo = {
      2.09,  3.67,  5.40,  7.38,  9.76,  12.68, 16.38, 21.13, 27.37, 35.67,
      46.87, 62.20, 83.45, 113.3, 155.7, 216.8, 306.0, 437.8, 635.1, 934.2,
  };
  const auto* at =
      std::lower_bound(kUpTo.begin(), kUpTo.end(), counters_per_key);
  return static_cast<unsigned>(at - kUpTo.begin()) + 1;
}

double CountersPerKey(double rate) noexcept {
  double too_few = 0.1;
  double enough = 1024;
  if (RateAtCounters(enough) > rate) return 0;
  // To a thousandth of a percent: finer than the granularity of sizes.
  while (enough - too_few > 1e-5 * enough) {
    const double middle = (too_few + enough) / 2;
    (RateAtCounters(middle) <= rate ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace tamis
