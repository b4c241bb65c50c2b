// SPDX-License-Identifier: Apache-2.0
// policy/kind_costs.h -- what a filter costs in one currency: nanoseconds of
// one core.  Memory has its price in it, too.

#pragma once

#include <cstdint>

#include "tamis/advice.h"

namespace tamis {

// How fast a kind is, wherever it is.
struct KindSpeed {
  double build_ns = 0;  // per key
  double query_ns = 0;  // of many at a time, if no memory had to be fetched
  double lines = 0;     // of 64 bytes fetched by a query; 0: as the probes
};

// Smaller filters cost as much as one of this size: allocators, pages and
// whatever stands around a filter take more than they would save.
inline constexpr std::uint64_t kMinChargedBytes = 8192;

// Of many queries at a time.
double QueryNs(const KindSpeed& speed, const Estimate& estimate) noexcept;

// Of need.keys keys; `estimate` is that of the filter over them.
double CostNs(const FilterNeed& need, const KindSpeed& speed,
              const Estimate& estimate) noexcept;

}  // namespace tamis
