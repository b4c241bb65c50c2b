// SPDX-License-Identifier: Apache-2.0
// tamis/set_algebra.h -- estimates what two key sets have in common, from their
// filters.  FilterPolicy::Combine() makes the filters of their union and
// intersection; docs/shape.md says what that does to the rate.

#pragma once

#include "tamis/export.h"
#include "tamis/filter.h"

namespace tamis {

// Estimates from the bits that are set.
struct Overlap {
  double keys_a = 0;      // in the first filter
  double keys_b = 0;      // in the second
  double keys_union = 0;  // in one of them or in both
  // keys_a + keys_b - keys_union, at least 0; and about one standard deviation
  // of it, slightly underestimated.  A small overlap is lost in it.
  double keys_in_both = 0;
  double deviation = 0;
  // Rates of false positives in the result of Combine(), for keys that are in
  // neither filter.  A key that is in only one of them is "maybe" in the
  // intersection at the error rate of the other.
  double union_rate = 1.0;
  double intersection_rate = 1.0;
};

// For cache-local, split-block and classic filters of the .tamis format with
// equal parameters.  Reads both, and copies neither.
// InvalidArgument: the parameters differ; the message names the first.
// NotSupported: not this kind.  Corruption: damaged.
TAMIS_EXPORT Result<Overlap> EstimateOverlap(Slice a, Slice b);

}  // namespace tamis
