// SPDX-License-Identifier: Apache-2.0
// tamis/set_algebra.h -- what two filters say about their key sets together.
// FilterPolicy::Combine() makes the filters of union and intersection;
// docs/shape.md says what that does to the rate.

#pragma once

#include "tamis/export.h"
#include "tamis/filter.h"

namespace tamis {

// All by the bits as they stand.
struct Overlap {
  double keys_a = 0;      // in the first filter
  double keys_b = 0;      // in the second
  double keys_union = 0;  // in one of them or in both
  // keys_a + keys_b - keys_union, at least 0; and one standard deviation of
  // it, or somewhat less than that.  Few keys in common drown in it.
  double keys_in_both = 0;
  double deviation = 0;
  // Of false positives, for absent keys to both filters, in what Combine()
  // would make of the two.  A key that is in one of them only is "maybe" in the
  // intersection as often as the other filter errs.
  double union_rate = 1.0;
  double intersection_rate = 1.0;
};

// For cache-local, split-block and classic filters of the .tamis format, both
// of equal parameters.  Reads both, and copies neither.
// InvalidArgument: the parameters differ; the message names the first.
// NotSupported: not this kind.  Corruption: damaged.
TAMIS_EXPORT Result<Overlap> EstimateOverlap(Slice a, Slice b);

}  // namespace tamis
