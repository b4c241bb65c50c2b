// SPDX-License-Identifier: Apache-2.0
// bench/plot.h -- the same in pictures, drawn by gnuplot.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/measure.h"

namespace tamis::bench {

struct Curve {
  std::string name;
  std::string colour;  // as #rrggbb
  bool dashed = false;
  std::vector<std::pair<double, double>> points;
};

struct PlotData {
  std::vector<Curve> rates;  // measured, against bits per key
  std::vector<Curve> times;  // ns per query, against the number of keys
};

struct PlotPlan {
  std::uint64_t rate_keys = 1'000'000;
  std::uint64_t rate_queries = 4'000'000;
  std::uint64_t fewest_keys = 10'000;
  std::uint64_t most_keys = 100'000'000;
  std::uint64_t queries = 4'000'000;
  unsigned passes = 3;
};

// Measures what the pictures show.  Failures as of Measure().
Result<PlotData> MeasureForPlot(const PlotPlan& plan, const Progress& progress);

// Two panels under that title in one SVG file.
// IoError: gnuplot failed.
Status DrawPlot(const PlotData& data, std::string_view title,
                const std::string& path);

}  // namespace tamis::bench
