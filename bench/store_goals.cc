// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bench/measure.h"
#include "bench/store_report.h"

namespace tamis::bench {
namespace {

struct Bound {
  std::string_view what;
  std::string_view metric;
  double at_most;
  bool to_lmdb = false;  // otherwise: to the better of the LSM trees
};

constexpr Bound kBounds[] = {
    {"missing keys, settled", "missing", 0.25},
    {"missing keys, full memtable", "missing_memtable", 0.15},
    {"missing keys, overlapping tables", "missing_overlap", 0.10},
    {"MultiGet of missing keys", "multi_missing", 0.35},
    {"present keys, settled", "present", 0.8},
    {"random fill, settling included", "fill_random_settled", 1.0},
    {"sequential fill", "fill_seq", 1.0},
    {"sequential fill, settling included", "fill_seq_settled", 1.0},
    {"full scan", "scan", 1.0},
    {"short scans", "short_scan", 1.0},
    {"opening", "open", 1.0},
    {"opening and the first get", "open_and_get", 0.5},
    {"bytes on disk", "disk", 1.05},
    {"present keys, over LMDB", "present", 0.7, true},
    {"short scans, over LMDB", "short_scan", 0.9, true},
    {"full scan, over LMDB", "scan", 1.0, true},
};

constexpr double kWantedScaling = 1.8;

// Ratios of two of our own figures.
struct OwnBound {
  std::string_view what;
  std::string_view metric;
  std::string_view over;
  double at_most;
};

constexpr OwnBound kOwnBounds[] = {
    {"missing keys, over their floor", "missing", "missing_floor", 1.3},
    {"MultiGet of missing keys, over Get", "multi_missing", "missing", 0.35},
    {"the same, overlapping tables", "multi_missing_overlap", "missing_overlap",
     0.35},
};

constexpr double kWantedFirstGet = 3;  // over LevelDB's

const std::vector<Sample>* Find(const Samples& samples, std::string_view name) {
  const auto found = samples.find(name);
  return found == samples.end() || found->second.empty() ? nullptr
                                                         : &found->second;
}

// The median over rounds of mine/theirs, each of one round.
double MedianRatio(const std::vector<Sample>& mine,
                   const std::vector<Sample>& theirs, SamplePart part) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
    ratios.push_back(mine[i].*part / theirs[i].*part);
  }
  return Median(std::move(ratios));
}

// One figure of ours over another.
std::optional<double> RatioOfOurs(const StoreRun& run, std::string_view name,
                                  std::string_view over) {
  const auto* mine = Find(run.engines.front(), name);
  const auto* other = Find(run.engines.front(), over);
  if (mine == nullptr || other == nullptr) return {};
  return MedianRatio(*mine, *other, &Sample::value);
}

std::optional<double> RatioToEngine(const StoreRun& run, std::size_t engine,
                                    std::string_view name) {
  const auto* mine = Find(run.engines.front(), name);
  const auto* theirs = Find(run.engines[engine], name);
  if (mine == nullptr || theirs == nullptr) return {};
  return MedianRatio(*mine, *theirs, &Sample::value);
}

}  // namespace

std::optional<double> MedianOf(const Samples& samples, std::string_view name,
                               SamplePart part) {
  const auto* all = Find(samples, name);
  if (all == nullptr) return {};
  std::vector<double> values;
  for (const Sample& sample : *all) values.push_back(sample.*part);
  return Median(std::move(values));
}

std::optional<double> RatioToBetterPeer(const StoreRun& run,
                                        std::string_view name,
                                        SamplePart part) {
  const auto* mine = Find(run.engines.front(), name);
  const Samples* better = nullptr;
  for (std::size_t i = 1; i < kStoreEngineCount; ++i) {
    if (!kStoreEngines[i].is_lsm_tree) continue;
    const auto theirs = MedianOf(run.engines[i], name, part);
    if (!theirs.has_value()) continue;
    if (better == nullptr || *theirs < *MedianOf(*better, name, part)) {
      better = &run.engines[i];
    }
  }
  if (mine == nullptr || better == nullptr) return {};
  return MedianRatio(*mine, *Find(*better, name), part);
}

std::optional<double> RatioToLmdb(const StoreRun& run, std::string_view name) {
  return RatioToEngine(run, kLmdb, name);
}

std::string_view StoreGoal::Verdict() const {
  if (!value.has_value()) return "not measured";
  return (at_least ? *value >= bound : *value <= bound) ? "holds" : "misses";
}

std::vector<StoreGoal> CheckStoreGoals(const StoreRun& run) {
  std::vector<StoreGoal> goals;
  for (const Bound& bound : kBounds) {
    goals.push_back({.what = bound.what,
                     .value = bound.to_lmdb
                                  ? RatioToLmdb(run, bound.metric)
                                  : RatioToBetterPeer(run, bound.metric),
                     .bound = bound.at_most});
  }
  for (const OwnBound& bound : kOwnBounds) {
    goals.push_back({.what = bound.what,
                     .value = RatioOfOurs(run, bound.metric, bound.over),
                     .bound = bound.at_most});
  }
  goals.push_back({.what = "the first get, over LevelDB",
                   .value = RatioToEngine(run, kLevelDb, "first_get"),
                   .bound = kWantedFirstGet});
  goals.push_back({.what = "missing keys, two threads over one",
                   // Operations per second, hence the other way round.
                   .value = RatioOfOurs(run, "missing", "missing_two"),
                   .bound = kWantedScaling,
                   .at_least = true});
  return goals;
}

}  // namespace tamis::bench
