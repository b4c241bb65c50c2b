// SPDX-License-Identifier: Apache-2.0
// bench_filters: size, error rate and speed of every filter of ours beside
// LevelDB's and RocksDB's own, and beside bare memory, measured in one run.

#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/frontier.h"
#include "bench/gnuplot.h"
#include "bench/kept.h"
#include "bench/line_up.h"
#include "bench/measure.h"
#include "bench/peak_memory.h"
#include "bench/plot.h"
#include "bench/report.h"
#include "bench/rocksdb_peer.h"
#include "bench/subject.h"
#include "filters/kernels/kernels.h"

namespace tamis::bench {
namespace {

constexpr std::uint64_t kMaxKeys = std::numeric_limits<int>::max();
constexpr std::size_t kMaxKeyBytes = 1024;

struct Options {
  std::vector<std::uint64_t> keys = {1'000'000, 100'000'000};
  std::vector<std::size_t> key_bytes = {8, 16};
  LineUp line_up;
  std::uint64_t queries = 4'000'000;
  unsigned passes = 0;  // 0: by the number of keys
  bool quick = false;
  bool smoke = false;
  bool no_table = false;
  Keeping keeping;
  std::string json;  // where to; "-": standard output; empty: nowhere
  std::string plot;
  std::string frontier;
  std::string kernels;
};

void AddOptions(CLI::App* app, Options* options) {
  app->add_option("--keys", options->keys, "Numbers of keys")
      ->check(CLI::Range(std::uint64_t{1}, kMaxKeys))
      ->capture_default_str();
  app->add_option("--key-bytes", options->key_bytes, "Lengths of keys")
      ->check(CLI::Range(KeyChunk::kFewestKeyBytes, kMaxKeyBytes))
      ->capture_default_str();
  app->add_option("--policies", options->line_up.policies,
                  "What to set beside LevelDB, RocksDB and bare memory")
      ->capture_default_str();
  app->add_option("--only", options->line_up.only,
                  "Only what begins so: ribbon,fuse,RocksDB,LevelDB,Boost")
      ->delimiter(',');
  app->add_flag("--all", options->line_up.slow_too,
                "The slow policies also where keys are many");
  app->add_option("--queries", options->queries, "Queries of each sort")
      ->check(CLI::Range(std::uint64_t{1}, kMaxKeys))
      ->capture_default_str();
  app->add_option("--passes", options->passes,
                  "Every figure is the median of that many (default: 5; 3 "
                  "with very many keys)")
      ->check(CLI::Range(1u, 1000u));
  app->add_option("--kernels", options->kernels,
                  "Use this row of the kernels: portable, avx2, ...");
  app->add_option("--json", options->json,
                  "Write everything there as JSON; -: instead of the table");
  app->add_option("--keep", options->keeping.folder,
                  "Write the same to MACHINE/filters.json in that folder, if "
                  "the run is of everything");
  app->add_option("--plot", options->plot,
                  "Measure some more, and draw it into that SVG file");
  app->add_option("--frontier", options->frontier,
                  "Draw sizes against times of the table into that SVG file");
  app->add_flag("--no-table", options->no_table, "Only the plot");
  app->add_flag("--quick", options->quick, "1 million keys, 3 passes");
  app->add_flag("--smoke", options->smoke,
                "A tiny run that only shows that everything works");
  app->footer(
      "Ends with 1 if a filter does not find a key that is in it.\n"
      "Example:\n  bench_filters --keys 1000000 --key-bytes 8 16");
}

void ApplyPresets(Options* options) {
  if (options->quick) {
    options->keys = {1'000'000};
    options->queries = 2'000'000;
    if (options->passes == 0) options->passes = 3;
  }
  if (!options->smoke) return;
  options->keys = {1000, 20'000};
  options->queries = 10'000;
  options->passes = 2;
}

Plan PlanFor(const Options& options, std::uint64_t keys,
             std::size_t key_bytes) {
  const unsigned usual = keys < kVeryManyKeys ? 5 : 3;
  const unsigned passes = options.passes == 0 ? usual : options.passes;
  // Here building takes most of the time, and varies least.
  const bool hasty = keys >= kVeryManyKeys && options.passes == 0;
  return {.keys = keys,
          .key_bytes = key_bytes,
          .queries = options.queries,
          .passes = passes,
          .build_passes = hasty ? 2 : passes,
          .build_one_once = hasty};
}

// One line on a terminal, which the next one overwrites.
void ShowProgress(const Plan& plan, unsigned pass, std::string_view what) {
  if (::isatty(STDERR_FILENO) != 1) return;
  fmt::print(stderr, "\r\x1b[K{} keys of {} bytes, pass {} of {}: {}",
             plan.keys, plan.key_bytes, pass + 1, plan.passes, what);
}

void ClearProgress() {
  if (::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\x1b[K");
}

int Fail(const Status& status, int code) {
  ClearProgress();
  fmt::print(stderr, "bench_filters: {}\n", status.message());
  return code;
}

// REQUIRES: no kernel was used yet
Status SetKernels(const std::string& name) {
  if (name.empty()) return Status::Ok();
  if (FindKernels(name) == nullptr) {
    std::string known;
    for (const Kernels* row : AllKernels()) {
      if (!row->runs_here()) continue;
      known += known.empty() ? "" : ", ";
      known += row->name;
    }
    return Status::InvalidArgument("no kernels called " + name +
                                   " run here; these do: " + known);
  }
  ::setenv("TAMIS_KERNELS", name.c_str(), 1);
  return Status::Ok();
}

// Finds errors that would fail the end of a long run before it starts.
Status CheckOptions(const Options& options) {
  if (Status set = SetKernels(options.kernels); !set.ok()) return set;
  if (options.no_table && !options.frontier.empty()) {
    return Status::InvalidArgument("--frontier draws what the table has");
  }
  if (!options.plot.empty() || !options.frontier.empty()) {
    if (Status there = CheckGnuplot(); !there.ok()) return there;
  }
  for (const std::string& path :
       {options.json, options.plot, options.frontier}) {
    if (path.empty() || path == "-") continue;
    if (!std::ofstream(path, std::ios::app)) {
      return Status::IoError("cannot write to " + path);
    }
  }
  const auto subjects = MakeSubjects(options.line_up, 1, true);
  return subjects.ok() ? Status::Ok() : subjects.status();
}

// Bytes per key, by the number of keys and the name of the subject.
using Peaks = std::map<std::pair<std::uint64_t, std::string>, double>;

// Measures one length of keys: builders keep hashes, whatever the keys.
Status MeasurePeaks(const Options& options, Peaks* peaks) {
  for (const std::uint64_t keys : options.keys) {
    const Plan plan = PlanFor(options, keys, options.key_bytes.front());
    const auto subjects = MakeSubjects(options.line_up, keys, true);
    if (!subjects.ok()) return subjects.status();
    for (const auto& subject : *subjects) {
      const bool builds = subject->Has(kBuildOne) || subject->Has(kBuildMany);
      if (!subject->is_filter() || !builds) continue;
      ShowProgress(plan, 0, "memory of " + subject->name());
      const auto peak = PeakOfBuild(subject.get(), plan);
      if (!peak.ok()) return peak.status();
      (*peaks)[{keys, subject->name()}] = *peak;
    }
  }
  return Status::Ok();
}

void NotePeaks(const Peaks& peaks, Run* run) {
  for (Row& row : run->rows) {
    const auto found = peaks.find({run->plan.keys, row.name});
    if (found != peaks.end()) row.peak = found->second;
  }
}

Result<Report> MeasureTable(const Options& options) {
  Report report;
  report.machine = ThisMachine();
  report.kernels = std::string(ActiveKernels().name);
  if (const auto peers = NewRocksDbSubjects(kFloorBits); !peers.ok()) {
    report.skipped = peers.status().message();
  }
  if (const auto peers = NewBoostSubjects(); !peers.ok()) {
    report.boost_skipped = peers.status().message();
  }
  Peaks peaks;  // first, while this process is small
  if (Status measured = MeasurePeaks(options, &peaks); !measured.ok()) {
    return measured;
  }
  for (const std::uint64_t keys : options.keys) {
    for (const std::size_t key_bytes : options.key_bytes) {
      const bool first_length = key_bytes == options.key_bytes.front();
      const auto subjects = MakeSubjects(options.line_up, keys, first_length);
      if (!subjects.ok()) return subjects.status();
      auto run =
          Measure(PlanFor(options, keys, key_bytes), *subjects, ShowProgress);
      if (!run.ok()) return run.status();
      if (first_length) NotePeaks(peaks, &*run);
      report.runs.push_back(*std::move(run));
    }
  }
  ClearProgress();
  return report;
}

Status Print(const Options& options, const Report& report) {
  if (options.json == "-") {
    fmt::print("{}", ToJson(report));
    return Status::Ok();
  }
  fmt::print("{}", ToText(report));
  if (options.json.empty()) return Status::Ok();
  std::ofstream out(options.json, std::ios::trunc);
  out << ToJson(report);
  out.close();
  if (!out) return Status::IoError("cannot write to " + options.json);
  return Status::Ok();
}

// Draws the run with the most keys; of several, the first.
Status Frontier(const Options& options, const Report& report) {
  const auto run = std::max_element(
      report.runs.begin(), report.runs.end(),
      [](const Run& a, const Run& b) { return a.plan.keys < b.plan.keys; });
  const std::vector<FrontierPoint> points = FrontierOf(*run);
  if (points.empty()) return Status::NotFound("--frontier: nothing to draw");
  return DrawFrontier(
      points,
      fmt::format("{} million keys of {} bytes; {}; {}",
                  static_cast<double>(run->plan.keys) / 1e6,
                  run->plan.key_bytes, report.machine.cpu, report.kernels),
      options.frontier);
}

Status Plot(const Options& options) {
  PlotPlan plan;
  plan.most_keys = *std::max_element(options.keys.begin(), options.keys.end());
  if (options.smoke) {
    plan = {.rate_keys = 2000,
            .rate_queries = 10'000,
            .fewest_keys = 100,
            .most_keys = 10'000,
            .queries = 10'000,
            .passes = 1};
  }
  const auto data = MeasureForPlot(plan, ShowProgress);
  ClearProgress();
  if (!data.ok()) return data.status();
  const std::string title =
      fmt::format("{}; kernels: {}", ThisMachine().cpu, ActiveKernels().name);
  return DrawPlot(*data, title, options.plot);
}

// What leaves the figures of a run of everything as they are; kernel sets have
// folders of their own.
constexpr std::string_view kHarmless[] = {"--keep", "--json",     "--kernels",
                                          "--plot", "--frontier", "--no-table"};

int RunBench(const Options& options) {
  if (Status fine = CheckOptions(options); !fine.ok()) return Fail(fine, 2);
  if (!options.no_table) {
    const auto report = MeasureTable(options);
    if (!report.ok()) return Fail(report.status(), 1);
    if (Status printed = Print(options, *report); !printed.ok()) {
      return Fail(printed, 1);
    }
    Status kept = KeepResults(options.keeping, report->machine, "filters.json",
                              ToJson(*report));
    if (!kept.ok()) return Fail(kept, 1);
    if (!options.frontier.empty()) {
      Status drawn = Frontier(options, *report);
      if (!drawn.ok()) return Fail(drawn, 1);
    }
  }
  if (options.plot.empty()) return 0;
  std::fflush(stdout);
  if (Status drawn = Plot(options); !drawn.ok()) return Fail(drawn, 1);
  return 0;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) {
  CLI::App app(
      "Sizes, error rates and speed of filters, beside LevelDB's and RocksDB's "
      "own and beside bare memory",
      "bench_filters");
  tamis::bench::Options options;
  tamis::bench::AddOptions(&app, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  options.keeping.another =
      tamis::bench::WhatMakesItAnother(app, tamis::bench::kHarmless);
  tamis::bench::ApplyPresets(&options);
  return tamis::bench::RunBench(options);
}
