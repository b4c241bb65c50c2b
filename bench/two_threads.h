// SPDX-License-Identifier: Apache-2.0
// bench/two_threads.h -- one filter, filled from two threads at once.

#pragma once

#include "bench/measure.h"
#include "tamis/filter.h"

namespace tamis::bench {

// Returns nanoseconds of wall time per key, from the creation of the filter to
// the last insertion; making the keys is not timed.
// NotSupported: the policy has no filter for several threads.
// Corruption: a key that was inserted is not found.
Result<double> BuildFromTwoThreads(const FilterPolicy& policy,
                                   const Plan& plan);

}  // namespace tamis::bench
