// bench/measure.h -- runs every subject in turn, several times over, so that
// whatever disturbs the machine disturbs all of them alike.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/subjects.h"

namespace tamis::bench {

enum Metric : std::size_t {
  kBuild,
  kMiss,  // queries of keys that are not in, one by one
  kHit,   // of keys that are
  kMissMany,
  kHitMany,
  kMetricCount,
};

struct Row {
  std::string name;
  bool is_filter = true;
  std::uint64_t bytes = 0;
  double expected_rate = 0;
  double measured_rate = 0;
  // Nanoseconds of CPU time per key, one figure per pass; empty: the subject
  // has no such operation.
  std::array<std::vector<double>, kMetricCount> passes;
};

struct Plan {
  std::uint64_t keys = 0;
  std::size_t key_bytes = 16;
  std::uint64_t queries = 0;  // of each sort
  unsigned passes = 1;
};

struct Run {
  Plan plan;
  std::vector<Row> rows;  // as the subjects; the first is the reference
};

// Called before each subject of each pass.
using Progress =
    std::function<void(const Plan&, unsigned pass, const std::string& subject)>;

// Corruption: a filter did not find a key that is in it.
Result<Run> Measure(const Plan& plan,
                    std::span<const std::unique_ptr<Subject>> subjects,
                    const Progress& progress);

// REQUIRES: !values.empty()
double Median(std::vector<double> values);

// The median over passes of row/reference, each of one pass: what disturbs a
// whole pass cancels out.  LevelDB has no batches, so those of others are set
// against its queries one by one.  0: there is nothing to compare.
double RatioTo(const Row& reference, const Row& row, Metric metric);

}  // namespace tamis::bench
