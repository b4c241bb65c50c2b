// SPDX-License-Identifier: Apache-2.0
// support/rates.h -- measuring a rate of false positives, and how far from a
// formula chance alone can take it.

#pragma once

#include <cstdint>
#include <string>

#include "tamis/filter.h"

namespace tamis::testing {

// Makes the i-th key of a family; different i, different keys.
using KeyMaker = std::string (*)(std::uint64_t i);
std::string ScrambledKey(std::uint64_t i);   // 8 bytes, no order to be seen
std::string SequentialKey(std::uint64_t i);  // an 8-byte integer, counted up
std::string DecimalKey(std::uint64_t i);     // "0", "1", "2", ...
std::string ShortKey(std::uint64_t i);       // as few bytes as hold i

struct MeasuredRate {
  double rate = 0;
  double expected = 0;  // the policy's Predict()
  // One standard deviation of `rate` if `expected` is true: of the absent keys
  // asked, and of the filters, whose fill differs from key set to key set.
  double deviation = 0;

  // Does `rate` lie in [low * expected, high * expected], give or take five
  // deviations (one run in two million)?
  bool Within(double low, double high) const {
    return rate >= low * expected - 5 * deviation &&
           rate <= high * expected + 5 * deviation;
  }
  std::string ToString() const;
};

// Builds filters over n keys each until about `absent keys` keys that are in
// none have been asked, and at least `absent keys` / 100 of each filter.
MeasuredRate Measure(const FilterPolicy& policy, std::uint64_t n,
                     KeyMaker make_key, std::uint64_t strangers);

// The rate of one filter over the first n ScrambledKey()s, measured with the
// `absent keys` after them; keys come and are asked in batches.  Every added
// key is asked, too, and the running test fails if one is missing.
double RateOfLarge(const FilterPolicy& policy, std::uint64_t n,
                   std::uint64_t strangers);

}  // namespace tamis::testing
