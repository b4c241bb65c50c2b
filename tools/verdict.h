// verdict.h -- what the bytes of a filter tell about its state.

#pragma once

#include <cstdint>
#include <string_view>

#include "tamis/filter.h"

namespace tamis::tools {

struct Verdict {
  std::string_view word;  // "ok", "saturated", "oversized", "empty", "unknown"
  double fill = 0;        // share of bits set; 0 for a Ribbon
  double rate = 1;        // expected rate of false positives
  double keys = 0;  // as stored, else estimated from the fill; 0 for none,
                    // or where nothing tells
  double bits_per_key = 0;  // 0 if there are no keys
};

Verdict VerdictOf(const FilterInfo& info);

}  // namespace tamis::tools
