// SPDX-License-Identifier: Apache-2.0
#include "bench/tail_report.h"

#include <algorithm>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "bench/text_table.h"

namespace tamis::bench {
namespace {

constexpr char kNothing[] = "-";
constexpr double kMicrosecond = 1000;
constexpr std::size_t kColumns = 60;  // of a rate over time
constexpr std::string_view kShownShares[] = {"_p50", "_p99", "_p99.9",
                                             "_p99.99", "_max"};
// From nothing to the highest rate.
constexpr std::string_view kHeights[] = {" ", "▁", "▂", "▃", "▄",
                                         "▅", "▆", "▇", "█"};

constexpr char kBusyLegend[] =
    "\nMicroseconds on the wall.  One thread puts, each put being a call (and "
    "in\n"
    "LMDB a transaction) of its own, into a store that has all keys; another\n"
    "thread gets a present and a missing key in turn.\n";
constexpr char kFillLegend[] =
    "\nMicroseconds on the wall.  One thread fills an empty store in random "
    "order,\n"
    "each put being a call (and in LMDB a transaction) of its own.\n";
constexpr char kLegend[] =
    "Rates are puts per second; the curve begins at 0 and ends at the store's "
    "own\nhighest.  Each store runs in a process of its own, one after the "
    "other.\n"
    "docs/benchmarks.md says how the stores are set.\n";

// All intervals of the run, in order: the names of the figures end with it.
std::vector<double> IntervalsOf(const Figures& figures) {
  std::vector<double> intervals;
  for (auto at = figures.lower_bound(std::string(kTailRate));
       at != figures.end() && at->first.starts_with(kTailRate); ++at) {
    intervals.push_back(at->second.value);
  }
  return intervals;
}

// Returns the mean puts per second of these intervals.
double MeanOf(std::span<const double> intervals) {
  const double sum = std::accumulate(intervals.begin(), intervals.end(), 0.0);
  return sum / static_cast<double>(intervals.size()) / kTailIntervalSeconds;
}

std::string TimeCell(std::optional<double> nanoseconds) {
  if (!nanoseconds.has_value()) return kNothing;
  const double time = *nanoseconds / kMicrosecond;
  return fmt::format("{:.{}f}", time, time < 100 ? (time < 10 ? 2 : 1) : 0);
}

std::string PercentilesText(const TailRun& run) {
  std::string text;
  for (const TailOperation& operation : kTailOperations) {
    Cells heading = {std::string(operation.title)};
    for (const TailShare& share : kTailShares) {
      if (std::ranges::count(kShownShares, share.name) != 0) {
        heading.emplace_back(share.title);
      }
    }
    heading.emplace_back("operations");
    std::vector<Cells> rows = {heading};
    for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
      const Figures& figures = run.engines[i];
      const auto count = TailFigure(figures, operation.name, kTailCount);
      if (!count.has_value()) continue;
      Cells cells = {"  " + std::string(kStoreEngines[i].name)};
      for (const std::string_view share : kShownShares) {
        cells.push_back(TimeCell(TailFigure(figures, operation.name, share)));
      }
      cells.push_back(fmt::format("{:.0f}", *count));
      rows.push_back(std::move(cells));
    }
    if (rows.size() > 1) text += "\n" + Aligned(rows);
  }
  return text;
}

std::string Sparkline(const RateOverTime& rate) {
  const double most = std::ranges::max(rate.per_second);
  std::string line;
  for (const double each : rate.per_second) {
    const double height =
        most > 0 ? each / most * (std::size(kHeights) - 1) : 0;
    line += kHeights[static_cast<std::size_t>(height + 0.5)];
  }
  return line;
}

std::string RatesText(const TailRun& run) {
  std::vector<Cells> rows = {
      {"Rate of puts", "mean", "slowest second", "last/first quarter"}};
  std::string lines;
  for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
    const auto steady = SteadinessOf(run.engines[i]);
    if (!steady.has_value()) continue;
    rows.push_back({"  " + std::string(kStoreEngines[i].name),
                    fmt::format("{:.0f}", steady->mean),
                    fmt::format("{:.0f}", steady->slowest),
                    fmt::format("{:.2f}", steady->last_over_first)});
    const RateOverTime rate = RateOf(run.engines[i], kColumns);
    lines +=
        fmt::format("  {:8} |{}|  {:.1f} s per column\n", kStoreEngines[i].name,
                    Sparkline(rate), rate.step_seconds);
  }
  return rows.size() > 1 ? "\n" + Aligned(rows) + "\n" + lines : "";
}

std::string GoalsText(const TailRun& run) {
  std::vector<Cells> rows = {{"", "wanted", "measured", ""}};
  for (const StoreGoal& goal : CheckTailGoals(run)) {
    rows.push_back({std::string(goal.what),
                    fmt::format("<= {:.0f}", goal.bound),
                    goal.value ? fmt::format("{:.1f}", *goal.value) : kNothing,
                    std::string(goal.Verdict())});
  }
  return "\nWhat must show\n\n" + Aligned(rows);
}

std::string HeadText(const TailRun& run) {
  return fmt::format(
      "{}; {} CPUs\n{} puts, keys of {} bytes, values of {}, {}; {:.0f} s\n",
      MachineText(run.machine), run.cpus, run.plan.keys, kStoreKeyBytes,
      kStoreValueBytes, run.plan.settings.snappy ? "Snappy" : "not compressed",
      run.seconds);
}

}  // namespace

std::optional<double> TailFigure(const Figures& figures, std::string_view name,
                                 std::string_view what) {
  const auto found = figures.find(std::string(name) + std::string(what));
  if (found == figures.end()) return {};
  return found->second.value;
}

RateOverTime RateOf(const Figures& figures, std::size_t max_steps) {
  const std::vector<double> intervals = IntervalsOf(figures);
  RateOverTime rate;
  if (intervals.empty()) return rate;
  const std::size_t per_step = (intervals.size() + max_steps - 1) / max_steps;
  rate.step_seconds = static_cast<double>(per_step) * kTailIntervalSeconds;
  for (std::size_t i = 0; i < intervals.size(); i += per_step) {
    const std::size_t count = std::min(per_step, intervals.size() - i);
    rate.per_second.push_back(MeanOf(std::span(intervals).subspan(i, count)));
  }
  return rate;
}

std::optional<Steadiness> SteadinessOf(const Figures& figures) {
  const std::vector<double> intervals = IntervalsOf(figures);
  if (intervals.empty()) return {};
  constexpr auto kSecond = static_cast<std::size_t>(1 / kTailIntervalSeconds);
  const std::size_t window =
      std::clamp<std::size_t>(intervals.size() / 10, 1, kSecond);
  Steadiness steady{.mean = MeanOf(intervals), .slowest = MeanOf(intervals)};
  for (std::size_t i = 0; i + window <= intervals.size(); i += window) {
    steady.slowest = std::min(steady.slowest,
                              MeanOf(std::span(intervals).subspan(i, window)));
  }
  const std::size_t quarter = std::max<std::size_t>(1, intervals.size() / 4);
  const double first = MeanOf(std::span(intervals).first(quarter));
  const double last = MeanOf(std::span(intervals).last(quarter));
  steady.last_over_first = first > 0 ? last / first : 0;
  return steady;
}

std::vector<StoreGoal> CheckTailGoals(const TailRun& run) {
  const Figures& ours = run.engines.front();
  const auto microseconds = [&](std::string_view operation) {
    auto figure = TailFigure(ours, operation, "_p99.99");
    if (figure.has_value()) *figure /= kMicrosecond;
    return figure;
  };
  return {{"Put, us at p99.99", microseconds("put"), 250},
          {"Get of a present key, us at p99.99", microseconds("present"), 60},
          {"Get of a missing key, us at p99.99", microseconds("missing"), 60}};
}

std::string TailText(const TailRun& run) {
  const bool is_fill = run.plan.mode == TailMode::kFill;
  return HeadText(run) + PercentilesText(run) + RatesText(run) +
         (is_fill ? "" : GoalsText(run)) +
         (is_fill ? kFillLegend : kBusyLegend) + kLegend;
}

}  // namespace tamis::bench
