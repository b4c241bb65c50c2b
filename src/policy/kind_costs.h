// SPDX-License-Identifier: Apache-2.0
// policy/kind_costs.h -- what a filter costs, in nanoseconds of one core.
// Memory has a price in these, too.

#pragma once

#include <cstdint>

#include "tamis/advice.h"

namespace tamis {

// The speed of a kind, without memory accesses.
struct KindSpeed {
  double build_ns = 0;  // per key
  double query_ns = 0;  // of many at a time, if no memory had to be fetched
  double lines = 0;     // of 64 bytes fetched by a query; 0: one per probe
};

// Smaller filters cost as much as one of this size: allocators, pages and
// metadata take more than they would save.
inline constexpr std::uint64_t kMinChargedBytes = 8192;

// Returns the time of one of many queries.
double QueryNs(const KindSpeed& speed, const Estimate& estimate) noexcept;

// Returns the cost for need.keys keys; `estimate` is that of the filter over
// them.
double CostNs(const FilterNeed& need, const KindSpeed& speed,
              const Estimate& estimate) noexcept;

}  // namespace tamis
