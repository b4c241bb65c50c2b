// SPDX-License-Identifier: Apache-2.0
// bench/frontier.h -- the picture of what can be had: how much larger than
// need be a filter is, against how much slower than bare memory it is asked.

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
// IoError: gnuplot was not pleased.
Status DrawFrontier(const std::vector<FrontierPoint>& points,
                    std::string_view title, const std::string& path);

}  // namespace tamis::bench
