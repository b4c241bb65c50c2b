// SPDX-License-Identifier: Apache-2.0
// tamis/advice.h -- which kind of filter?  AdviseFilter() weighs memory, build
// time and query time, and gives its reason in words.  docs/choosing.md
// explains the weights.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/filter.h"

namespace tamis {

// What a filter is needed for.  The defaults, once `keys` is set, describe the
// filter of a table in the upper levels of a store.
struct FilterNeed {
  std::uint64_t keys = 0;  // held at a time
  double rate = 0.01;      // of false positives
  bool deletes = false;    // keys will be erased one by one
  bool growth = false;     // `keys` is a guess, and must not be a limit
  bool expiry = false;     // keys expire by age
  // How long the filter is kept once built, in seconds.  A longer life gives
  // memory more weight against build time.  It is minutes in the upper levels
  // of a store, and days in the lowest.
  double lifetime_seconds = 600;
  // Queries over that lifetime, for each key in the filter.
  double queries_per_key = 10;
};

// One kind, measured against the need.
struct FilterChoice {
  std::string kind;             // "bloom", "fuse16"
  std::string spec;             // for MakePolicy()
  Estimate estimate;            // for need.keys
  double bits_per_key = 0;      // everything stored
  double overhead = 0;          // bits per key over log2(1/rate), minus 1
  double build_ns_per_key = 0;  // typical; for ranking only
  double query_ns = 0;          // typical, of many queries at a time
  double cost = 0;              // in seconds of one core; the least wins
  std::string unfit;            // not empty: cannot serve this need, and why
};

// The recommended kind, and all that were considered.
struct FilterAdvice {
  FilterChoice best;                  // the cheapest that serves the need
  std::string reason;                 // a sentence or two, for people
  std::vector<FilterChoice> choices;  // all kinds, the best first, unfit last
};

// InvalidArgument: the rate, lifetime or number of queries is not valid.
// NotSupported: no kind does all that is required; the message says so.
TAMIS_EXPORT Result<FilterAdvice> AdviseFilter(const FilterNeed& need);

}  // namespace tamis
