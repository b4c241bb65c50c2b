// SPDX-License-Identifier: Apache-2.0
// bench/frontier.h -- draws the trade-off: the space overhead of a filter
// against its slowdown over bare memory.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.h"

namespace tamis::bench {

struct FrontierPoint {
  std::string label;
  double slowness = 0;  // a batched miss over the floor's
  double overhead = 0;  // as Overhead()
  bool ours = true;
};

// The filters of one run for which both were measured and are above 0.
std::vector<FrontierPoint> FrontierOf(const Run& run);

// One SVG file; both axes logarithmic, each point with its name, and a line
// through those that no other one beats in both.  REQUIRES: !points.empty()
// IoError: gnuplot failed.
Status DrawFrontier(const std::vector<FrontierPoint>& points,
                    std::string_view title, const std::string& path);

}  // namespace tamis::bench
