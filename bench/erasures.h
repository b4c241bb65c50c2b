// SPDX-License-Identifier: Apache-2.0
// bench/erasures.h -- measures the cost of erasing keys.

#pragma once

#include "bench/measure.h"

namespace tamis::bench {

// Returns nanoseconds of processor time per Erase() of present keys: up to half
// of them, from a copy of `filter`, which has the keys from 0 on.  Corruption:
// a present key could not be erased, another one was lost, or most erased ones
// are still there.
Result<double> TimeErasures(Slice filter, const Plan& plan);

}  // namespace tamis::bench
