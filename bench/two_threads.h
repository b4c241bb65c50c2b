// SPDX-License-Identifier: Apache-2.0
// bench/two_threads.h -- one filter, filled from two threads at once.

#pragma once

#include "bench/measure.h"
#include "tamis/filter.h"

namespace tamis::bench {

// Nanoseconds on the wall per key, from the making of the filter to the last
// key's insertion; the keys are made ready outside that time.
// NotSupported: the policy has no filter for several threads.
// Corruption: a key that was inserted is not found.
Result<double> BuildFromTwoThreads(const FilterPolicy& policy,
                                   const Plan& plan);

}  // namespace tamis::bench
