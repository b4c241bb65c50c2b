// SPDX-License-Identifier: Apache-2.0
// bench/build_once.h -- one filter, built and timed.

#pragma once

#include "bench/measure.h"

namespace tamis::bench {

// Nanoseconds per key; the keys are made ready outside that time.
struct BuildTime {
  double processor = 0;    // of the calling thread
  double wall = 0;         // of all that
  double finish_wall = 0;  // of Finish() alone
};

// The keys from 0 on, as many as planned.  Failures are those of Finish().
Result<BuildTime> BuildOnce(Subject* subject, const Plan& plan, Metric how);

}  // namespace tamis::bench
