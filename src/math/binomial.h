// SPDX-License-Identifier: Apache-2.0
// math/binomial.h -- the binomial distribution: how many of a filter's keys
// fall into one of its blocks.  Some blocks get more than others, and the
// filter's rate is the mean over them.

#pragma once

#include <math.h>
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tamis {

// Independent trials, each of which succeeds with probability `chance`.
struct Binomial {
  double trials;
  double chance;

  double mean() const noexcept { return trials * chance; }

  // The logarithm of the probability of exactly `i` successes.
  double LogProbability(double i) const noexcept {
    return LogGamma(trials + 1) - LogGamma(i + 1) - LogGamma(trials - i + 1) +
           i * std::log(chance) + (trials - i) * std::log1p(-chance);
  }

  // The probability of i + 1 successes divided by that of i.
  double RatioAfter(double i) const noexcept {
    return (trials - i) / (i + 1) * (chance / (1 - chance));
  }

 private:
  // std::lgamma() would write to a global of the C library, from any thread.
  static double LogGamma(double x) noexcept {
    int sign = 0;
    return ::lgamma_r(x, &sign);
  }
};

// Returns the mean of rate_of(std::uint64_t i) over all numbers i of successes
// that are not negligible.  REQUIRES: 0 < distribution.chance < 1
template <typename RateOf>
double MeanRate(const Binomial& distribution, const RateOf& rate_of) noexcept {
  const double mean = distribution.mean();
  const double spread = 12 * std::sqrt(mean) + 40;
  const double first = std::floor(std::max(0.0, mean - spread));
  const double last = std::min(distribution.trials, std::ceil(mean + spread));
  double chance = std::exp(distribution.LogProbability(first));
  double sum = 0;
  // This would be 1 if LogProbability() did not lose digits with many trials.
  double all = 0;
  for (double i = first; i <= last; ++i) {
    sum += chance * rate_of(static_cast<std::uint64_t>(i));
    all += chance;
    chance *= distribution.RatioAfter(i);
  }
  return std::min(1.0, sum / all);
}

}  // namespace tamis
