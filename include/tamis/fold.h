// SPDX-License-Identifier: Apache-2.0
// tamis/fold.h -- a filter that turned out too large, made smaller without its
// keys.

#pragma once

#include <cstdint>
#include <string>

#include "tamis/export.h"
#include "tamis/filter.h"

namespace tamis {

// What FoldFilter() did.
struct FoldResult {
  std::uint64_t bytes = 0;   // of the folded filter
  double rate_before = 1.0;  // as the bits stand
  double rate_after = 1.0;   // the same of the folded filter
};

// Appends to *dst the filter of 1/divisor of the size that the same keys
// would have made with the same probes: bit for bit that filter, so no key is
// lost; only the rate of false positives climbs.  For cache-local,
// split-block and classic filters of the .tamis format.
// InvalidArgument: the number of lines, blocks or bits cannot be divided so;
// the message names divisors that can be.  NotSupported: not this kind.
// Corruption: damaged.  On error *dst is as it was.
// REQUIRES: `filter` does not lie in *dst
TAMIS_EXPORT Result<FoldResult> FoldFilter(Slice filter, std::uint64_t divisor,
                                           std::string* dst);

// The rate that FoldFilter() would end at, from the bits as they stand;
// errors as there.
TAMIS_EXPORT Result<double> RateWhenFolded(Slice filter, std::uint64_t divisor);

// The largest divisor for FoldFilter() that leaves the rate, by the bits as
// they stand, at `rate` or below; 1: any fold would exceed it.
TAMIS_EXPORT Result<std::uint64_t> LargestDivisorFor(Slice filter, double rate);

}  // namespace tamis
