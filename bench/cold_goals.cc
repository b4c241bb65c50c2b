// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "bench/cold_report.h"

namespace tamis::bench {
namespace {

constexpr double kMaxCached = 0.25;  // of a store that counts as cold

std::optional<double> Over(std::optional<double> value,
                           std::optional<double> other) {
  if (!value.has_value() || other.value_or(0) == 0) return {};
  return *value / *other;
}

// Returns a figure of ours.  Nothing: not measured, or not cold.
std::optional<double> Ours(const ColdRun& run, const ColdName& name) {
  if (!WasCold(run.stores.front(), name.phase)) return {};
  return ColdFigure(run.stores.front(), name);
}

std::optional<double> BytesOverPeer(const ColdRun& run,
                                    std::string_view phase) {
  const ColdName name{phase, kColdBytes};
  return ColdRatio(run, name, BetterColdPeer(run, name));
}

}  // namespace

std::optional<double> ColdFigure(const Samples& samples, const ColdName& name) {
  const std::string full = std::string(name.phase) + std::string(name.what);
  const auto found = samples.find(full);
  if (found == samples.end() || found->second.empty()) return {};
  if (name.what != kColdRequests && name.what != kColdDiskBytes) {
    return MedianOf(samples, full);
  }
  const auto least = std::min_element(
      found->second.begin(), found->second.end(),
      [](const Sample& a, const Sample& b) { return a.value < b.value; });
  return least->value;
}

bool WasCold(const Samples& samples, std::string_view phase) {
  const auto cached = ColdFigure(samples, {phase, kColdCached});
  return cached.has_value() && *cached <= kMaxCached;
}

std::optional<std::size_t> BetterColdPeer(const ColdRun& run,
                                          const ColdName& name) {
  std::optional<std::size_t> better;
  double least = 0;
  for (std::size_t i = 1; i < kColdStoreCount; ++i) {
    if (!kStoreEngines[kColdStores[i].engine].is_lsm_tree) continue;
    const auto figure = ColdFigure(run.stores[i], name);
    if (!figure.has_value() || !WasCold(run.stores[i], name.phase)) continue;
    if (better.has_value() && *figure >= least) continue;
    better = i;
    least = *figure;
  }
  return better;
}

std::optional<double> ColdRatio(const ColdRun& run, const ColdName& name,
                                std::optional<std::size_t> other) {
  if (!other.has_value() || !WasCold(run.stores[*other], name.phase)) return {};
  return Over(Ours(run, name), ColdFigure(run.stores[*other], name));
}

std::optional<double> SortedRuns(const Samples& samples) {
  const auto runs = MedianOf(samples, "sorted_runs");
  return runs.value_or(0) > 0 ? runs : std::nullopt;
}

std::vector<StoreGoal> CheckColdGoals(const ColdRun& run) {
  constexpr double kKibibyte = 1024;
  const auto runs = SortedRuns(run.stores.front());
  const auto missing = Ours(run, {"missing", kColdBytes});
  const auto present = Ours(run, {"present", kColdBytes});
  return {
      {"missing key, KiB per sorted run", Over(Over(missing, kKibibyte), runs),
       0.15},
      {"missing key, requests per sorted run",
       Over(Ours(run, {"missing", kColdRequests}), runs), 0.02},
      {"present key, KiB", Over(present, kKibibyte), 5.5},
      {"present key, requests", Ours(run, {"present", kColdRequests}), 1.05},
      {"empty range, bytes over a present key's",
       Over(Ours(run, {"empty_range", kColdBytes}), present), 1.2},
      {"missing key, bytes over the better peer's",
       BytesOverPeer(run, "missing"), 0.8},
      {"present key, bytes over the better peer's",
       BytesOverPeer(run, "present"), 0.8},
      {"empty range, bytes over the better peer's",
       BytesOverPeer(run, "empty_range"), 0.8},
      {"MultiGet of 100, time over 100 single gets",
       Over(Ours(run, {"multi_present", kColdTime}),
            Ours(run, {"single_present", kColdTime})),
       0.25},
  };
}

}  // namespace tamis::bench
