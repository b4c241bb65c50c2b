// SPDX-License-Identifier: Apache-2.0
// bench/tail_report.h -- the slowest operations of stores and their rate over
// time, for people and for programs.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/store_report.h"
#include "bench/tail_run.h"

namespace tamis::bench {

// Returns a figure of one store; nothing: not measured.
std::optional<double> TailFigure(const Figures& figures, std::string_view name,
                                 std::string_view what);

// Returns the puts per second over time, in so many steps of equal length at
// most.  Empty: the run was shorter than an interval.
struct RateOverTime {
  double step_seconds = 0;
  std::vector<double> per_second;
};
RateOverTime RateOf(const Figures& figures, std::size_t max_steps);

// How steady that rate is.  The seconds are windows of the run, one after the
// other; in a run of less than ten, tenths of it.
struct Steadiness {
  double mean = 0;             // puts per second
  double slowest = 0;          // of these windows
  double last_over_first = 0;  // the last quarter's rate over the first one's
};
std::optional<Steadiness> SteadinessOf(const Figures& figures);

// Goals are for ours alone.
std::vector<StoreGoal> CheckTailGoals(const TailRun& run);

std::string TailText(const TailRun& run);
std::string TailJson(const TailRun& run);  // in json.cc

// Returns an SVG file: for each operation, a curve per store of how long it
// takes at which percentile; and the rates over time.
std::string DrawTailPicture(const TailRun& run);

}  // namespace tamis::bench
