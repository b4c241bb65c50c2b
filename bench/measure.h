// SPDX-License-Identifier: Apache-2.0
// bench/measure.h -- runs every subject in turn, several times over, so that
// whatever disturbs the machine disturbs all of them alike.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/subject.h"

namespace tamis::bench {

struct Row {
  std::string name;
  bool is_filter = true;
  std::uint64_t bytes = 0;
  double expected_rate = 0;
  std::uint64_t absent_queries = 0;  // of absent keys, all distinct
  std::uint64_t maybes = 0;          // how many of them are "maybe"
  // Bytes per key that building takes at its highest above the filter's own;
  // empty: not measured.
  std::optional<double> peak;
  // Nanoseconds per key, one figure per pass; empty: the subject has no such
  // operation.
  std::array<std::vector<double>, kMetricCount> passes;

  double measured_rate() const {
    return absent_queries == 0 ? 0
                               : static_cast<double>(maybes) /
                                     static_cast<double>(absent_queries);
  }
};

struct Plan {
  std::uint64_t keys = 0;
  std::size_t key_bytes = 16;
  std::uint64_t queries = 0;  // of each sort, in each pass
  unsigned passes = 1;
  unsigned build_passes = 1;    // at most; later passes only query
  bool build_one_once = false;  // in the first pass, if there is kBuildMany
  bool two_threads = true;
  bool erasures = true;
  std::vector<Metric> queries_of = {kQueries.begin(), kQueries.end()};
};

struct Run {
  Plan plan;
  std::vector<Row> rows;  // as the subjects

  // Null: no such subject.
  const Row* Find(std::string_view name) const;
};

// Called before each step of each pass.
using Progress =
    std::function<void(const Plan&, unsigned pass, std::string_view what)>;

// Corruption: a filter did not find a key that is in it.
Result<Run> Measure(const Plan& plan, const Subjects& subjects,
                    const Progress& progress);

// REQUIRES: !values.empty()
double Median(std::vector<double> values);

// One figure of one row.
struct Figure {
  const Row* row = nullptr;
  Metric metric = kMissOne;

  bool measured() const {
    return row != nullptr && !row->passes[metric].empty();
  }
  const std::vector<double>& passes() const { return row->passes[metric]; }
};

// Returns the median over passes of mine/theirs, each within one pass: a
// disturbance of a whole pass cancels out.  0: one of them was not measured.
double RatioOf(const Figure& mine, const Figure& theirs);

}  // namespace tamis::bench
