// SPDX-License-Identifier: Apache-2.0
#include "bench/latencies.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tamis::bench {

// Times below kPerPower have a bucket each; above, the first bits of a time
// select its bucket.
std::size_t Latencies::BucketOf(std::uint64_t time) noexcept {
  if (time < kPerPower) return time;
  const auto shift = static_cast<unsigned>(std::bit_width(time)) - kBits - 1;
  return (shift + 1) * kPerPower + (time >> shift) - kPerPower;
}

// Returns the longest time of a bucket.
double Latencies::EndOf(std::size_t bucket) noexcept {
  if (bucket < kPerPower) return static_cast<double>(bucket);
  const std::size_t shift = bucket / kPerPower - 1;
  const auto end = static_cast<double>(bucket % kPerPower + kPerPower + 1);
  return std::ldexp(end, static_cast<int>(shift)) - 1;
}

void Latencies::Add(double nanoseconds) noexcept {
  const double time = std::max(nanoseconds, 0.0);
  ++buckets_[BucketOf(static_cast<std::uint64_t>(time))];
  ++count_;
  max_ = std::max(max_, time);
}

double Latencies::AtShare(double share) const noexcept {
  const double wanted = std::ceil(share * static_cast<double>(count_));
  const auto rank =
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1,
                                std::max<std::uint64_t>(count_, 1));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= rank) return std::min(EndOf(i), max_);
  }
  return 0;
}

}  // namespace tamis::bench
