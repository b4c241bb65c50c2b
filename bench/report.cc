// SPDX-License-Identifier: Apache-2.0
#include "bench/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/text_table.h"

namespace tamis::bench {
namespace {

constexpr char kNothing[] = "-";

// 1234567 -> "1,234,567".
std::string Grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string TimeCell(const Row& row, Metric metric) {
  if (row.passes[metric].empty()) return kNothing;
  const double time = Median(row.passes[metric]);
  return fmt::format("{:.{}f}", time, time < 9.995 ? 2 : 1);
}

std::string RateCell(double rate) {
  return rate > 0 ? fmt::format("{:.3f} %", rate * 100) : kNothing;
}

// The times of the table; the others have one of their own.
constexpr std::array kColumns = {kBuildOne, kBuildMany, kBuildTwo, kMissOne,
                                 kHitOne,   kMiss256,   kHit256,   kMiss32,
                                 kHit32,    kErase};

Cells RowCells(const Run& run, const Row& row) {
  Cells cells = {row.name,
                 row.bytes == 0
                     ? kNothing
                     : fmt::format("{:.2f}", BitsPerKey(row, run.plan.keys))};
  const double overhead = Overhead(row, run.plan.keys);
  cells.push_back(RateCell(row.measured_rate()));
  cells.push_back(RateCell(row.expected_rate));
  cells.push_back(overhead == 0 ? kNothing
                                : fmt::format("{:+.1f} %", overhead * 100));
  for (const Metric metric : kColumns) cells.push_back(TimeCell(row, metric));
  cells.push_back(row.peak ? fmt::format("{:.1f}", *row.peak) : kNothing);
  return cells;
}

std::string Passes(const Plan& plan) {
  std::string text = fmt::format("median of {} {}", plan.passes,
                                 plan.passes == 1 ? "pass" : "passes");
  if (plan.build_passes < plan.passes) {
    text += fmt::format(", of builds {}", plan.build_passes);
  }
  return text;
}

std::string TableText(std::span<const Run> runs) {
  std::vector<Cells> rows = {
      {"", "bits", "rate", "rate", "above", "build", "build", "build", "one",
       "one", "of 256", "of 256", "of 32", "of 32", "erase", "peak"},
      {"", "/key", "measured", "expected", "log2(1/r)", "one", "many", "2 thr",
       "miss", "hit", "miss", "hit", "miss", "hit", "", "B/key"},
  };
  for (const Run& run : runs) {
    rows.push_back({""});
    rows.push_back(
        {fmt::format("{} keys of {} bytes ({})", Grouped(run.plan.keys),
                     run.plan.key_bytes, Passes(run.plan))});
    for (const Row& row : run.rows) rows.push_back(RowCells(run, row));
  }
  return Aligned(rows);
}

// Builders that take threads, with one and with two.
std::string ThreadsText(std::span<const Run> runs) {
  std::vector<Cells> rows = {
      {"", "build", "build", "times as", "Finish", "Finish", "times as"},
      {"", "one", "two", "fast", "one", "two", "fast"}};
  const std::size_t heading = rows.size();
  for (const Run& run : runs) {
    for (const Row& row : run.rows) {
      if (row.passes[kFinishTwo].empty()) continue;
      Cells cells = {fmt::format("{}, {} keys of {}", row.name,
                                 Grouped(run.plan.keys), run.plan.key_bytes)};
      for (const auto& [one, two] :
           {std::pair(kBuildWall, kBuildTwo), {kFinishWall, kFinishTwo}}) {
        const double ratio = RatioOf({&row, one}, {&row, two});
        cells.push_back(TimeCell(row, one));
        cells.push_back(TimeCell(row, two));
        cells.push_back(fmt::format("{:.2f}", ratio));
      }
      rows.push_back(std::move(cells));
    }
  }
  if (rows.size() == heading) return "";
  return "\nBuilding with one and with two threads, ns on the wall\n\n" +
         Aligned(rows);
}

// What takes keys one by one or knows their number, and queries without a
// virtual call.
std::string InsertionsText(std::span<const Run> runs) {
  constexpr std::array kTimes = {kBuildKnown,     kInsertMany,   kInsertWall,
                                 kBuildTwo,       kMissInline,   kHitInline,
                                 kMissPrefetched, kHitPrefetched};
  std::vector<Cells> rows = {
      {"", "build", "insert", "concurrent", "concurrent", "inline", "inline",
       "prefetched", "prefetched"},
      {"", "known", "many", "1 thr", "2 thr", "miss", "hit", "miss", "hit"},
      {"wanted with 100 million keys", "<= 15", "<= 15", "<= 15", "< 1 thr"}};
  const std::size_t heading = rows.size();
  for (const Run& run : runs) {
    for (const Row& row : run.rows) {
      if (row.passes[kInsertMany].empty()) continue;
      Cells cells = {fmt::format("{}, {} keys of {}", row.name,
                                 Grouped(run.plan.keys), run.plan.key_bytes)};
      for (const Metric metric : kTimes) cells.push_back(TimeCell(row, metric));
      rows.push_back(std::move(cells));
    }
  }
  if (rows.size() == heading) return "";
  return "\nInserting, building with the number of keys known, and inline "
         "queries by hash\n(ns per key; concurrent: on the wall; memory and "
         "its first use included)\n\n" +
         Aligned(rows);
}

// Returns how much the same figure varies from pass to pass: smaller
// differences mean nothing.
std::string SpreadText(std::span<const Run> runs) {
  std::vector<Cells> rows = {
      {"", "floor", "ours of 256", "ours one", "RocksDB of 32", "RocksDB one"}};
  const std::pair<std::string_view, Metric> columns[] = {
      {kFloorName, kMiss256},
      {kOurs, kMiss256},
      {kOurs, kMissOne},
      {kRocksDbBloomName, kMiss32},
      {kRocksDbBloomName, kMissOne}};
  for (const Run& run : runs) {
    Cells cells = {fmt::format("{} keys of {}", Grouped(run.plan.keys),
                               run.plan.key_bytes)};
    for (const auto& [name, metric] : columns) {
      const Figure figure{run.Find(name), metric};
      if (!figure.measured()) {
        cells.push_back(kNothing);
        continue;
      }
      const auto [low, high] =
          std::minmax_element(figure.passes().begin(), figure.passes().end());
      cells.push_back(fmt::format("{:.1f} to {:.1f}", *low, *high));
    }
    rows.push_back(std::move(cells));
  }
  return "\nSpread of the misses over the passes, ns\n\n" + Aligned(rows);
}

std::string GoalNumber(const Goal& goal, double value) {
  return goal.unit == GoalUnit::kOverhead ? fmt::format("{:.2f} %", value * 100)
                                          : fmt::format("{:.2f}", value);
}

// "0.41 / 0.54*" for miss and hit of one key length; *: above the bound.
std::string GoalCell(const Goal& goal, std::size_t key_bytes) {
  std::string text;
  for (const GoalValue& each : goal.values) {
    if (each.key_bytes != key_bytes) continue;
    if (!text.empty()) text += " / ";
    text += each.value == 0 ? kNothing : GoalNumber(goal, each.value);
    if (goal.bound > 0 && each.value > goal.bound) text += "*";
  }
  return text.empty() ? kNothing : text;
}

std::vector<std::size_t> KeyLengths(std::span<const Run> runs) {
  std::vector<std::size_t> lengths;
  for (const Run& run : runs) {
    const std::size_t length = run.plan.key_bytes;
    if (std::find(lengths.begin(), lengths.end(), length) == lengths.end()) {
      lengths.push_back(length);
    }
  }
  return lengths;
}

bool BoundsAreMeantFor(std::span<const Run> runs) {
  return std::all_of(runs.begin(), runs.end(), [](const Run& run) {
    return run.plan.keys == kFewKeys || run.plan.keys == kManyKeys;
  });
}

std::string GoalsTable(std::span<const Run> runs, std::span<const Goal> goals,
                       GoalUnit unit) {
  const std::vector<std::size_t> lengths = KeyLengths(runs);
  Cells heading = {"", "keys", "wanted"};
  for (const std::size_t length : lengths) {
    heading.push_back(fmt::format("{} bytes", length));
  }
  heading.push_back("");
  std::vector<Cells> rows = {heading};
  for (const Goal& goal : goals) {
    if (goal.unit != unit) continue;
    Cells cells = {goal.what, Grouped(goal.keys),
                   goal.bound == 0 ? "" : "<= " + GoalNumber(goal, goal.bound)};
    for (const std::size_t length : lengths) {
      cells.push_back(GoalCell(goal, length));
    }
    cells.push_back(goal.Verdict());
    rows.push_back(std::move(cells));
  }
  return rows.size() == 1 ? "" : Aligned(rows);
}

std::string GoalsText(std::span<const Run> runs) {
  const std::vector<Goal> goals = CheckGoals(runs);
  const std::string times = GoalsTable(runs, goals, GoalUnit::kRatio);
  const std::string sizes = GoalsTable(runs, goals, GoalUnit::kOverhead);
  std::string text;
  if (!times.empty()) {
    text += fmt::format(
        "\nWhat must show, as ratios of times (miss / hit; *: above what is "
        "wanted)\n{}\n{}",
        BoundsAreMeantFor(runs) ? ""
                                : "The bounds are meant for 1 and 100 million "
                                  "keys, not for these.\n",
        times);
  }
  const std::string in_cache = GoalsTable(runs, goals, GoalUnit::kNanoseconds);
  if (!in_cache.empty()) {
    text += "\nIn cache, in nanoseconds on a CPU with AVX2 (miss / hit)\n\n" +
            in_cache;
  }
  if (!sizes.empty()) {
    text += "\nWhat must show, as bits above log2(1/rate)\n\n" + sizes;
  }
  return text;
}

constexpr char kLegend[] =
    "\nTimes are nanoseconds per key, of the processor (\"2 thr\": on the\n"
    "wall).  one: a call per key; of 256, of 32: so many keys per call.  Keys\n"
    "lie in cache when they are asked for.  A filter of ours is asked where a\n"
    "store would load it: from the start of a cache line, in huge pages.\n"
    "RocksDB's and LevelDB's stay where they put them, but for \"moved\".\n"
    "floor: one random line per query out of as many bytes as a filter of 10\n"
    "(or 8) bits per key has, and nothing else.  sort: std::sort() of as many\n"
    "random numbers.  peak: memory that building takes above the filter's "
    "own,\n"
    "at its highest.  docs/benchmarks.md says more.\n";

}  // namespace

double BitsPerKey(const Row& row, std::uint64_t keys) {
  return static_cast<double>(row.bytes) * 8 / static_cast<double>(keys);
}

double Overhead(const Row& row, std::uint64_t keys) {
  const double rate = row.measured_rate();
  if (!(rate > 0) || !(rate < 1)) return 0;
  return BitsPerKey(row, keys) / -std::log2(rate) - 1;
}

std::string ToText(const Report& report) {
  std::string text = fmt::format("{}; kernels: {}\n",
                                 MachineText(report.machine), report.kernels);
  if (!report.skipped.empty()) {
    text += "RocksDB is left out: " + report.skipped + "\n";
  }
  if (!report.boost_skipped.empty()) {
    text += "Boost.Bloom is left out: " + report.boost_skipped + "\n";
  }
  return text + "\n" + TableText(report.runs) + ThreadsText(report.runs) +
         InsertionsText(report.runs) + SpreadText(report.runs) +
         GoalsText(report.runs) + kLegend;
}

}  // namespace tamis::bench
