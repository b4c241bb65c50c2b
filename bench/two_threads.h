// SPDX-License-Identifier: Apache-2.0
// bench/two_threads.h -- one filter, filled key by key: from one thread, and
// from several at once.

#pragma once

#include "bench/measure.h"
#include "tamis/filter.h"

namespace tamis::bench {

// Returns nanoseconds of wall time per key, from the creation of the filter to
// the last insertion; making the keys is not timed.
// NotSupported: the policy has no filter for several threads.
// Corruption: a key that was inserted is not found.
Result<double> FillFromThreads(const FilterPolicy& policy, const Plan& plan,
                               unsigned threads);

// Returns nanoseconds of the processor per key for NewMutable() and
// InsertMany().  Errors as above.
Result<double> FillMutable(const FilterPolicy& policy, const Plan& plan);

}  // namespace tamis::bench
