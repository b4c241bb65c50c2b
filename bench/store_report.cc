// SPDX-License-Identifier: Apache-2.0
#include "bench/store_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "bench/text_table.h"

namespace tamis::bench {
namespace {

using Unit = StoreUnit;

constexpr StoreMetric kMetrics[] = {
    {"fill_seq", "sequential fill"},
    {"fill_seq_settled", "  until settled"},
    {"fill_random", "random fill"},
    {"fill_random_settled", "  until settled"},
    {"missing", "missing keys"},
    {"missing_floor", "  their floor"},
    {"missing_memtable", "  full memtable"},
    {"missing_overlap", "  overlapping tables"},
    {"missing_two", "  two threads"},
    {"multi_missing", "  MultiGet of 100"},
    {"multi_missing_overlap", "  MultiGet of 100, overlapping tables"},
    {"present", "present keys"},
    {"present_memtable", "  full memtable"},
    {"present_overlap", "  overlapping tables"},
    {"present_two", "  two threads"},
    {"multi_present", "  MultiGet of 100"},
    {"scan", "full scan, per entry"},
    {"short_scan", "seek and 10 entries"},
    {"open", "opening", Unit::kMicroseconds},
    {"first_get", "  the first get", Unit::kMicroseconds},
    {"open_and_get", "  both together", Unit::kMicroseconds},
    {"disk", "on disk", Unit::kMebibytes},
    {"fill_seq_written", "written, sequential fill", Unit::kMebibytes},
    {"fill_random_written", "written, random fill", Unit::kMebibytes},
    {"memory_private", "memory of its own", Unit::kMebibytes},
    {"memory_mapped", "memory mapped", Unit::kMebibytes},
};

constexpr char kNothing[] = "-";

constexpr char kLegend[] =
    "\nns, us: on the wall, per operation, the median of the rounds; two\n"
    "threads: over the operations of both.  /peer: ours over the better of\n"
    "LevelDB and RocksDB, in this run; of CPU: the same of processor time, "
    "all\n"
    "threads together, which a busy machine disturbs less; /LMDB: ours over "
    "LMDB.\n"
    "Their floor: the same keys are hashed, and one line per sorted run and\n"
    "one of a memtable's filter is loaded, each key after the one before.\n"
    "Each store runs in a process of its own, one at a time.\n"
    "docs/benchmarks.md says what is done and how the stores are set.\n";

double Scale(Unit unit) {
  constexpr double kMebibyte = 1 << 20;
  if (unit == Unit::kMebibytes) return kMebibyte;
  return unit == Unit::kMicroseconds ? 1000 : 1;
}

std::string_view UnitName(Unit unit) {
  if (unit == Unit::kMebibytes) return "MiB";
  return unit == Unit::kMicroseconds ? "us" : "ns";
}

std::string FigureCell(const Samples& samples, const StoreMetric& metric) {
  const auto median = MedianOf(samples, metric.name);
  if (!median.has_value()) return kNothing;
  const double shown = *median / Scale(metric.unit);
  return fmt::format("{:.{}f}", shown, shown < 99.95 ? 1 : 0);
}

std::string RatioCell(std::optional<double> ratio) {
  return ratio.has_value() ? fmt::format("{:.2f}", *ratio) : kNothing;
}

// The farthest apart that rounds of one figure of a store were, as a share.
std::string SpreadCell(const StoreRun& run, std::string_view name) {
  double widest = 0;
  for (const Samples& samples : run.engines) {
    const auto found = samples.find(name);
    if (found == samples.end() || found->second.size() < 2) continue;
    const auto [least, most] = std::minmax_element(
        found->second.begin(), found->second.end(),
        [](const Sample& a, const Sample& b) { return a.value < b.value; });
    widest = std::max(widest, most->value / least->value - 1);
  }
  return widest > 0 ? fmt::format("{:.0f} %", widest * 100) : "";
}

std::string TableText(const StoreRun& run) {
  Cells heading = {"", ""};
  for (const auto& engine : kStoreEngines) heading.emplace_back(engine.name);
  heading.insert(heading.end(), {"/peer", "of CPU", "/LMDB", "spread"});
  std::vector<Cells> rows = {heading};
  for (const StoreMetric& metric : kMetrics) {
    Cells cells = {std::string(metric.title),
                   std::string(UnitName(metric.unit))};
    for (const Samples& samples : run.engines) {
      cells.push_back(FigureCell(samples, metric));
    }
    cells.push_back(RatioCell(RatioToBetterPeer(run, metric.name)));
    cells.push_back(
        metric.unit == Unit::kMebibytes
            ? ""
            : RatioCell(RatioToBetterPeer(run, metric.name, &Sample::cpu)));
    cells.push_back(RatioCell(RatioToLmdb(run, metric.name)));
    cells.push_back(SpreadCell(run, metric.name));
    rows.push_back(std::move(cells));
  }
  return Aligned(rows);
}

std::string GoalsText(const StoreRun& run) {
  std::vector<Cells> rows = {{"", "wanted", "ratio", ""}};
  for (const StoreGoal& goal : CheckStoreGoals(run)) {
    rows.push_back(
        {std::string(goal.what),
         fmt::format("{} {:.2f}", goal.at_least ? ">=" : "<=", goal.bound),
         RatioCell(goal.value), std::string(goal.Verdict())});
  }
  return "\nWhat must show: ours over the better of LevelDB and RocksDB, or "
         "over "
         "LMDB\n\n" +
         Aligned(rows);
}

}  // namespace

std::span<const StoreMetric> StoreMetrics() { return kMetrics; }

std::string StoreText(const StoreRun& run) {
  return fmt::format(
             "{}\n{} entries, keys of {} bytes, values of {}, {}, {} rounds of "
             "{} reads; {:.0f} s\n\n",
             MachineText(run.machine), run.plan.keys, kStoreKeyBytes,
             kStoreValueBytes,
             run.plan.settings.snappy ? "Snappy" : "not compressed", run.rounds,
             run.plan.operations, run.seconds) +
         TableText(run) + GoalsText(run) + kLegend;
}

}  // namespace tamis::bench
