// SPDX-License-Identifier: Apache-2.0
#include "bench/clocks.h"

#include <time.h>
#include <algorithm>
#include <array>

namespace tamis::bench {
namespace {

double Read(clockid_t clock) noexcept {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 +
         static_cast<double>(now.tv_nsec);
}

}  // namespace

double ThreadNanoseconds() noexcept { return Read(CLOCK_THREAD_CPUTIME_ID); }

double WallNanoseconds() noexcept { return Read(CLOCK_MONOTONIC); }

double ThreadClockCost() {
  static const double cost = [] {
    std::array<double, 1001> readings;
    for (double& reading : readings) {
      const double start = ThreadNanoseconds();
      reading = ThreadNanoseconds() - start;
    }
    const auto middle = readings.begin() + readings.size() / 2;
    std::nth_element(readings.begin(), middle, readings.end());
    return *middle;
  }();
  return cost;
}

}  // namespace tamis::bench
