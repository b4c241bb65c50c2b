// SPDX-License-Identifier: Apache-2.0
// verdict.h -- judges the state of a filter from its bytes.

#pragma once

#include <cstdint>
#include <string_view>

#include "tamis/filter.h"

namespace tamis::tools {

struct Verdict {
  std::string_view word;  // "ok", "saturated", "oversized", "empty", "unknown"
  double fill = 0;        // share of bits, counters or slots in use; 0 for
                          // filters that are the solution of equations
  double rate = 1;        // expected rate of false positives
  double keys = 0;  // as stored, else estimated from the fill; 0 for none,
                    // or where nothing tells
  double bits_per_key = 0;  // 0 if there are no keys
};

Verdict VerdictOf(const FilterInfo& info);

// Returns true for filters that are the solution of equations, where half the
// bits are set by chance.
bool IsSolution(const FilterInfo& info);

// What FilterInfo::probes count, for people and for programs.
struct ProbesName {
  std::string_view text;
  std::string_view json;
};
ProbesName ProbesNameOf(const FilterInfo& info);

}  // namespace tamis::tools
