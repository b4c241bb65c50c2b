// SPDX-License-Identifier: Apache-2.0
// bench/erasures.h -- what it costs to take keys out again.

#pragma once

#include "bench/measure.h"

namespace tamis::bench {

// Nanoseconds of the processor per Erase() of keys that are in: up to half of
// them, out of a copy of `filter`, which has the keys from 0 on.
// Corruption: a key that is in could not be erased, one that stays was lost,
// or most erased ones are still there.
Result<double> TimeErasures(Slice filter, const Plan& plan);

}  // namespace tamis::bench
