// SPDX-License-Identifier: Apache-2.0
// bench/latencies.h -- how long each of many operations took: a histogram
// whose buckets grow with the times, so that the slowest few of millions are
// known as precisely as the median.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tamis::bench {

// Not thread-safe.
class Latencies {
 public:
  void Add(double nanoseconds) noexcept;

  std::uint64_t count() const noexcept { return count_; }
  double max() const noexcept { return max_; }  // in nanoseconds, exactly

  // Returns the time that this share of the operations did not exceed, at most
  // a 32nd too high.  0: there were no operations.
  // REQUIRES: 0 < share <= 1
  double AtShare(double share) const noexcept;

 private:
  // Each power of two has so many buckets.
  static constexpr unsigned kBits = 5;
  static constexpr std::size_t kPerPower = std::size_t{1} << kBits;
  static constexpr std::size_t kBuckets = (64 - kBits + 1) * kPerPower;

  static std::size_t BucketOf(std::uint64_t time) noexcept;
  static double EndOf(std::size_t bucket) noexcept;

  std::array<std::uint64_t, kBuckets> buckets_ = {};
  std::uint64_t count_ = 0;
  double max_ = 0;
};

}  // namespace tamis::bench
