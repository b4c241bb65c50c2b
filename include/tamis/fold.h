// SPDX-License-Identifier: Apache-2.0
// tamis/fold.h -- makes a filter smaller without its keys.

#pragma once

#include <cstdint>
#include <string>

#include "tamis/export.h"
#include "tamis/filter.h"

namespace tamis {

// What FoldFilter() did.
struct FoldResult {
  std::uint64_t bytes = 0;   // of the folded filter
  double rate_before = 1.0;  // from the bits that are set
  double rate_after = 1.0;   // the same of the folded filter
};

// Appends to *dst a filter of 1/divisor of the size.  It is bit for bit the
// filter that the same keys and probes would have made at that size, so no key
// is lost; only the rate of false positives rises.  For cache-local,
// split-block and classic filters of the .tamis format.
// InvalidArgument: the number of lines, blocks or bits is not divisible so; the
// message names valid divisors.  NotSupported: not this kind.
// Corruption: damaged.  On error *dst is as it was.
// REQUIRES: `filter` is not a view of *dst
TAMIS_EXPORT Result<FoldResult> FoldFilter(Slice filter, std::uint64_t divisor,
                                           std::string* dst);

// Returns the rate after FoldFilter(), estimated from the bits that are set, or
// the same errors.
TAMIS_EXPORT Result<double> RateWhenFolded(Slice filter, std::uint64_t divisor);

// Returns the largest divisor for FoldFilter() that keeps the rate, estimated
// from the bits that are set, at `rate` or below; 1: any fold would exceed it.
TAMIS_EXPORT Result<std::uint64_t> LargestDivisorFor(Slice filter, double rate);

}  // namespace tamis
