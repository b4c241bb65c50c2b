// SPDX-License-Identifier: Apache-2.0
// bench/store_report.h -- the results of the stores, for people and for
// programs.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/store_run.h"
#include "tamis/result.h"
#include "tamis/status.h"

namespace tamis::bench {

enum class StoreUnit { kNanoseconds, kMicroseconds, kMebibytes };

struct StoreMetric {
  std::string_view name;   // of the samples
  std::string_view title;  // for people
  StoreUnit unit = StoreUnit::kNanoseconds;
};
// In the order in which they are shown.
std::span<const StoreMetric> StoreMetrics();

// Which part of a sample: &Sample::value or &Sample::cpu.
using SamplePart = double Sample::*;

// Of one store; nothing: not measured.
std::optional<double> MedianOf(const Samples& samples, std::string_view name,
                               SamplePart part = &Sample::value);

// Ours over that of the peer that does better; nothing: not measured.
std::optional<double> RatioToBetterPeer(const StoreRun& run,
                                        std::string_view name,
                                        SamplePart part = &Sample::value);

struct StoreGoal {
  std::string_view what;
  std::optional<double> value;
  double bound = 0;
  bool at_least = false;  // otherwise: at most

  std::string_view Verdict() const;  // "holds", "misses", "not measured"
};
std::vector<StoreGoal> CheckStoreGoals(const StoreRun& run);

std::string StoreText(const StoreRun& run);
std::string StoreJson(const StoreRun& run);  // in json.cc
// Reads the figures that StoreJson() wrote, but not the settings of the run.
// Corruption: the text holds no figures of stores.
Result<StoreRun> ParseStoreJson(std::string_view text);

// Returns an SVG file with bars of the lookups, and of what they cost in
// opening and memory.  It is drawn without any other program.
std::string DrawStorePicture(const StoreRun& run);

// Bars of every read, as an SVG file.  IoError: gnuplot failed.
Status DrawStorePlot(const StoreRun& run, const std::string& path);

}  // namespace tamis::bench
