// math/block_loads.h -- keys that fall on blocks by chance: some blocks get
// more than others, and what a filter does is the mean over them.

#pragma once

#include <math.h>
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tamis {

// The keys of one block: each of `keys` falls into it with `chance`.
struct BlockLoad {
  double keys;
  double chance;

  double mean() const noexcept { return keys * chance; }
  // Logarithm of the chance that it has exactly i.
  double LogOf(double i) const noexcept {
    return LogGamma(keys + 1) - LogGamma(i + 1) - LogGamma(keys - i + 1) +
           i * std::log(chance) + (keys - i) * std::log1p(-chance);
  }
  double RatioAfter(double i) const noexcept {
    return (keys - i) / (i + 1) * (chance / (1 - chance));
  }

 private:
  // std::lgamma() would write to a global of the C library, from any thread.
  static double LogGamma(double x) noexcept {
    int sign = 0;
    return ::lgamma_r(x, &sign);
  }
};

// The mean of rate_of(std::uint64_t i) over all loads i that are at all
// likely.  REQUIRES: 0 < load.chance < 1
template <typename RateOf>
double MeanOverLoads(const BlockLoad& load, const RateOf& rate_of) noexcept {
  const double spread = 12 * std::sqrt(load.mean()) + 40;
  const double first = std::floor(std::max(0.0, load.mean() - spread));
  const double last = std::min(load.keys, std::ceil(load.mean() + spread));
  double chance = std::exp(load.LogOf(first));
  double sum = 0;
  double all = 0;  // 1, but for the cancellation in LogOf() with many keys
  for (double i = first; i <= last; ++i) {
    sum += chance * rate_of(static_cast<std::uint64_t>(i));
    all += chance;
    chance *= load.RatioAfter(i);
  }
  return std::min(1.0, sum / all);
}

}  // namespace tamis
