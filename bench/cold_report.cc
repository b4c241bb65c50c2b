// SPDX-License-Identifier: Apache-2.0
#include "bench/cold_report.h"

#include <string>

#include <fmt/format.h>

#include "bench/text_table.h"

namespace tamis::bench {
namespace {

constexpr char kNothing[] = "-";

// One table: one figure of all phases.
struct ColdTable {
  std::string_view title;
  std::string_view what;
  double unit;
  int digits;
};
constexpr ColdTable kTables[] = {
    {"KiB read from disk", kColdBytes, 1024, 2},
    {"requests to the disk", kColdRequests, 1, 3},
    {"microseconds", kColdTime, 1000, 1},
};

constexpr char kLegend[] =
    "\nAll per operation.  KiB: what the kernel has read for the process "
    "(median\n"
    "of the rounds).  Requests: reads that the device has completed, of the "
    "whole\n"
    "machine (least of the rounds).  Microseconds: on the wall (median).\n"
    "/peer: ours over the named one, the better of LevelDB and the three ways "
    "of\n"
    "RocksDB.  *: when this phase began, more than a quarter of the store was\n"
    "in memory, read ahead of the lookups before it; such figures are not\n"
    "compared.  docs/benchmarks.md says what is done and how the stores are "
    "set.\n";

std::string Cell(const ColdRun& run, std::size_t store, const ColdPhase& phase,
                 const ColdTable& table) {
  const Samples& samples = run.stores[store];
  const auto figure = ColdFigure(samples, {phase.name, table.what});
  if (!figure.has_value()) return kNothing;
  return fmt::format("{:.{}f}{}", *figure / table.unit, table.digits,
                     WasCold(samples, phase.name) ? "" : "*");
}

std::string RatioCell(std::optional<double> ratio) {
  return ratio.has_value() ? fmt::format("{:.2f}", *ratio) : kNothing;
}

std::string TableText(const ColdRun& run, const ColdTable& table) {
  Cells heading = {std::string(table.title)};
  for (const ColdStore& store : kColdStores) heading.emplace_back(store.name);
  heading.insert(heading.end(), {"/peer", "peer", "/LMDB"});
  std::vector<Cells> rows = {heading};
  for (const ColdPhase& phase : kColdPhases) {
    Cells cells = {std::string(phase.title)};
    for (std::size_t i = 0; i < kColdStoreCount; ++i) {
      cells.push_back(Cell(run, i, phase, table));
    }
    const auto peer = BetterColdPeer(run, {phase.name, table.what});
    cells.push_back(RatioCell(ColdRatio(run, {phase.name, table.what}, peer)));
    cells.emplace_back(peer ? kColdStores[*peer].name : kNothing);
    cells.push_back(
        RatioCell(ColdRatio(run, {phase.name, table.what}, kColdLmdb)));
    rows.push_back(std::move(cells));
  }
  return "\n" + Aligned(rows);
}

std::string RunsText(const ColdRun& run) {
  std::string text = "sorted runs (tables of level 0, and each further level):";
  std::string_view before = " ";
  for (std::size_t i = 0; i < kColdStoreCount; ++i) {
    const auto runs = SortedRuns(run.stores[i]);
    if (!runs.has_value() || kColdStores[i].rocksdb_reads != RocksDbReads{}) {
      continue;
    }
    text += fmt::format("{}{} {:.0f}", before,
                        kStoreEngines[kColdStores[i].engine].name, *runs);
    before = ", ";
  }
  return text + "\n";
}

std::string HeadText(const ColdRun& run) {
  std::string text = fmt::format(
      "{}\n{} entries, keys of {} bytes, values of {}, not compressed; {} "
      "{} of {} reads, each after {} lookups of other keys; {:.0f} s\n",
      MachineText(run.machine), run.plan.keys, kStoreKeyBytes, kStoreValueBytes,
      run.rounds, run.rounds == 1 ? "round" : "rounds", run.plan.operations,
      run.plan.warm_up, run.seconds);
  text +=
      fmt::format("disk: {}, read-ahead {}; dropped before each phase: {}\n",
                  run.disk.empty() ? "not known" : run.disk,
                  run.disk_read_ahead.has_value()
                      ? fmt::format("{} KiB", *run.disk_read_ahead)
                      : "not known",
                  run.plan.drop == Drop::kMachine
                      ? "the page cache of the machine"
                      : "the store's files from the page cache");
  return text + RunsText(run);
}

std::string GoalsText(const ColdRun& run) {
  std::vector<Cells> rows = {{"", "wanted", "measured", ""}};
  for (const StoreGoal& goal : CheckColdGoals(run)) {
    rows.push_back({std::string(goal.what),
                    fmt::format("<= {:.2f}", goal.bound),
                    goal.value ? fmt::format("{:.3f}", *goal.value) : kNothing,
                    std::string(goal.Verdict())});
  }
  return "\nWhat must show\n\n" + Aligned(rows);
}

}  // namespace

std::string ColdText(const ColdRun& run) {
  std::string text = HeadText(run);
  for (const ColdTable& table : kTables) text += TableText(run, table);
  return text + GoalsText(run) + kLegend;
}

}  // namespace tamis::bench
