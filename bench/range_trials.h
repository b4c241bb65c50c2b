// SPDX-License-Identifier: Apache-2.0
// bench/range_trials.h -- range filters over one family of keys: their rates,
// sizes and times.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/result.h"
#include "tamis/slice.h"
#include "tests/support/key_families.h"

namespace tamis::bench {

struct RangePlan {
  std::uint64_t keys = 200'000;
  std::uint64_t queries = 100'000;      // of empty ranges
  std::uint64_t far_bytes = 128 << 20;  // of filters that no cache holds
  unsigned passes = 3;
  bool times = true;
};

// One filter.
struct RangeTrial {
  std::string family;
  double asked_bits = 0;  // per key
  // Not empty: the builder refused these keys, and says why.
  std::string refused;
  double bits = 0;  // per key, that the filter has
  double rate = 0;  // of the empty ranges that are "maybe"
  double own_estimate = 0;
  double build_ns = 0;   // per key, which come sorted
  double near_ns = 0;    // per query, with one filter in the cache
  double far_ns = 0;     // with many of which none is
  double far_lines = 0;  // the same in fetches of a line that depend on another
};

// The keys of a family and empty ranges between them: their ends are where
// further keys would be, and their lengths are of up to a quarter of the mean
// gap between keys; one in four is of a single key.
class RangeTrials {
 public:
  RangeTrials(const testing::KeyFamily& family, const RangePlan& plan);

  Result<RangeTrial> Run(double bits_per_key) const;

 private:
  struct Range {
    std::string lo;
    std::string hi;
  };

  void AddRanges(std::vector<std::string> further);
  Status Time(Slice filter, RangeTrial* trial) const;

  std::string family_;
  RangePlan plan_;
  std::vector<std::string> keys_;
  std::vector<Range> empty_;
};

}  // namespace tamis::bench
