#include "bench/report.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

namespace tamis::bench {
namespace {

using Cells = std::vector<std::string>;

constexpr char kNothing[] = "-";

// Columns as wide as their widest cell, right-aligned but the first.
std::string Aligned(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i == 0 ? fmt::format("  {:<{}}", row[i], widths[i])
                     : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

// 1234567 -> "1,234,567".
std::string Grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

double BitsPerKey(const Row& row, std::uint64_t keys) {
  return static_cast<double>(row.bytes) * 8 / static_cast<double>(keys);
}

std::string TimeCell(const Row& row, Metric metric) {
  if (row.passes[metric].empty()) return kNothing;
  return fmt::format("{:.1f}", Median(row.passes[metric]));
}

std::string RatioCell(double ratio) {
  return ratio == 0 ? kNothing : fmt::format("{:.2f}", ratio);
}

Cells RowCells(const Run& run, const Row& row) {
  Cells cells = {row.name,
                 fmt::format("{:.2f}", BitsPerKey(row, run.plan.keys))};
  if (row.is_filter) {
    const double overhead = Overhead(row, run.plan.keys);
    cells.push_back(fmt::format("{:.3f} %", row.expected_rate * 100));
    cells.push_back(fmt::format("{:.3f} %", row.measured_rate * 100));
    cells.push_back(overhead == 0 ? kNothing
                                  : fmt::format("{:+.0f} %", overhead * 100));
  } else {
    cells.insert(cells.end(), 3, kNothing);
  }
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    const auto metric = static_cast<Metric>(i);
    cells.push_back(TimeCell(row, metric));
    cells.push_back(RatioCell(RatioTo(run.rows.front(), row, metric)));
  }
  return cells;
}

// How far the reference's own figures lay apart: differences smaller than
// this mean nothing.
std::string NoiseLine(const Run& run) {
  const Row& reference = run.rows.front();
  std::string text = "  spread of " + reference.name + " over the passes:";
  for (const Metric metric : {kBuild, kMiss, kHit}) {
    const std::vector<double>& passes = reference.passes[metric];
    const auto [low, high] = std::minmax_element(passes.begin(), passes.end());
    const char* name =
        metric == kBuild ? "build" : (metric == kMiss ? "miss" : "hit");
    text += fmt::format(" {} {:.1f} to {:.1f},", name, *low, *high);
  }
  text.back() = '\n';
  return text;
}

std::string RunText(const Run& run) {
  std::vector<Cells> rows = {
      {"", "bits", "rate", "rate", "above", "build", "", "miss", "", "hit", "",
       "miss", "", "hit", ""},
      {"", "/key", "expected", "measured", "log2(1/r)", "ns", "x", "ns", "x",
       "ns", "x", "many ns", "x", "many ns", "x"},
  };
  for (const Row& row : run.rows) rows.push_back(RowCells(run, row));
  return fmt::format(
             "\n{} keys of {} bytes, {} queries of each sort, median of {} "
             "{}\n\n",
             Grouped(run.plan.keys), run.plan.key_bytes,
             Grouped(run.plan.queries), run.plan.passes,
             run.plan.passes == 1 ? "pass" : "passes") +
         Aligned(rows) + NoiseLine(run);
}

std::string GrowthText(const Run& small, const Run& large) {
  std::vector<Cells> rows = {
      {"", "build", "miss", "hit", "miss many", "hit many"}};
  for (std::size_t i = 0; i < small.rows.size(); ++i) {
    Cells cells = {small.rows[i].name};
    for (std::size_t metric = 0; metric < kMetricCount; ++metric) {
      const std::vector<double>& before = small.rows[i].passes[metric];
      const std::vector<double>& after = large.rows[i].passes[metric];
      const bool both = !before.empty() && !after.empty();
      cells.push_back(RatioCell(both ? Median(after) / Median(before) : 0));
    }
    rows.push_back(std::move(cells));
  }
  return fmt::format(
             "\nHow the cost per key grows from {} to {} keys of {} bytes\n\n",
             Grouped(small.plan.keys), Grouped(large.plan.keys),
             small.plan.key_bytes) +
         Aligned(rows);
}

constexpr char kLegend[] =
    "\nns: CPU time per key, one thread.\n"
    "x: ratio to the first row in the same run, below 1 is faster; its\n"
    "queries one by one also stand against the others' batches (\"many\"),\n"
    "for it has none.  A filter of ours is built key by key and keeps their\n"
    "hashes until it knows how many there are; LevelDB is handed all keys at\n"
    "once.  Opening is not timed.  \"one line\": no filter, just one random\n"
    "cache line per query from as many bytes; \"chained\": each after the\n"
    "one before.  LevelDB's format errs more often than the formula says at\n"
    "some sizes, because the step between its probes is a rotation of the\n"
    "first probe's hash and not a second hash.\n";

}  // namespace

std::string CpuName() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown CPU";
}

double Overhead(const Row& row, std::uint64_t keys) {
  if (!(row.measured_rate > 0) || !(row.measured_rate < 1)) return 0;
  return BitsPerKey(row, keys) / -std::log2(row.measured_rate) - 1;
}

std::string ToText(std::span<const Run> runs) {
  std::string text = CpuName() + "\n";
  for (const Run& run : runs) text += RunText(run);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].plan.key_bytes != runs[i - 1].plan.key_bytes) continue;
    text += GrowthText(runs[i - 1], runs[i]);
  }
  return text + kLegend;
}

}  // namespace tamis::bench
