// SPDX-License-Identifier: Apache-2.0
// bench_store: one workload through Tamis, LevelDB, RocksDB and LMDB in one
// run.

#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/cold_phases.h"
#include "bench/cold_report.h"
#include "bench/cold_run.h"
#include "bench/gnuplot.h"
#include "bench/kept.h"
#include "bench/store_child.h"
#include "bench/store_phases.h"
#include "bench/store_plans.h"
#include "bench/store_report.h"
#include "bench/store_run.h"
#include "bench/tail_phases.h"
#include "bench/tail_report.h"
#include "bench/tail_run.h"

namespace tamis::bench {
namespace {

constexpr std::uint64_t kMaxKeys = 1'000'000'000;
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
// All four stores at once; one of them may be compacting, and keeps a log.
// LMDB's pages are two thirds full.
constexpr std::uint64_t kDiskShare = 7;
// One store at a time, whose entries are put twice, or which is a tree of
// pages.
constexpr std::uint64_t kTailDiskShare = 4;
constexpr std::uint64_t kLogs = 3 * 2 * kStoreWriteBuffer;

std::vector<std::string> StoreNames() {
  std::vector<std::string> names;
  for (const StoreEngineKind& kind : kStoreEngines)
    names.emplace_back(kind.name);
  return names;
}

void AddOptions(CLI::App* app, BenchOptions* options) {
  app->add_option("--keys", options->keys,
                  "Entries (default: 10 million; 1 million if --quick; --tail: "
                  "4 million, 400,000; --fill: 100 million, 2 million)")
      ->check(CLI::Range(std::uint64_t{1000}, kMaxKeys));
  app->add_option("--operations", options->operations,
                  "Reads of each sort per round (default: 1 million, at most "
                  "a quarter of the keys; --cold: 20,000, at most one for 500 "
                  "keys)")
      ->check(CLI::Range(std::uint64_t{100}, kMaxKeys));
  app->add_option("--rounds", options->rounds,
                  "Every figure of reads is the median of that many (default: "
                  "3)")
      ->check(CLI::Range(1u, 100u));
  app->add_flag(
      "--snappy", options->snappy,
      "All compress with Snappy, except LMDB, which then takes no part");
  app->add_flag(
      "--rocksdb-caches", options->rocksdb_caches,
      "RocksDB caches the blocks of its tables instead of mapping them");
  app->add_flag("--cold", options->cold,
                "Reads of data that is on disk and not in memory: what they "
                "read, in how many requests, and how long they take");
  app->add_flag("--drop-files", options->drop_files,
                "With --cold, drop only the stores' files from the page cache, "
                "and not the whole machine's, which takes root");
  auto* tail = app->add_flag(
      "--tail", options->tail,
      "How long the slowest puts and gets take while a store is written to");
  app->add_flag("--fill", options->fill,
                "How steadily a store is filled: the rate over time")
      ->excludes(tail);
  app->add_option("--only", options->only,
                  "With --tail and --fill, only these stores: Tamis, LevelDB, "
                  "RocksDB, LMDB")
      ->check(CLI::IsMember(StoreNames()));
  app->add_option("--dir", options->dir,
                  "Where the stores go (default: a fresh directory under the "
                  "system's temporary directory)");
  app->add_option("--json", options->json,
                  "Write everything there as JSON; -: instead of the table");
  app->add_option("--keep", options->keeping.folder,
                  "Write the same to MACHINE/store.json in that folder, or "
                  "store-cold.json, if the run is of the usual size");
  app->add_option("--plot", options->plot, "Draw it into that SVG file");
  app->add_option("--svg", options->svg,
                  "Draw the lookups into that SVG file, without gnuplot");
  app->add_option("--from", options->from,
                  "Measure nothing; draw --svg and --plot of the figures that "
                  "--json has written to that file");
  app->add_flag("--quick", options->quick, "1 million entries");
  app->add_flag("--smoke", options->smoke,
                "A tiny run that only shows that everything works");
  app->add_option("--serve", options->serve)->group("");  // not for people
  app->footer(
      "Needs about 850 bytes of disk per entry.  Ends with 1 if a store gives\n"
      "a wrong answer, never because one is slow.\n"
      "Example:\n  bench_store --quick --json out.json");
}

int ServeCold(const BenchOptions& options) {
  for (const ColdStore& store : kColdStores) {
    if (store.name != options.serve) continue;
    EngineSettings settings = PlanFor(options).settings;
    settings.cold = true;
    settings.rocksdb_reads = store.rocksdb_reads;
    auto engine = kStoreEngines[store.engine].make(settings);
    if (engine == nullptr) return 2;
    ColdWorker worker(ColdPlanFor(options), std::move(engine), options.dir);
    ServePhases([&](std::string_view phase, unsigned round) {
      return worker.Run(phase, round);
    });
    return 0;
  }
  return 2;
}

int ServeTail(const BenchOptions& options) {
  const TailPlan plan = TailPlanFor(options);
  for (const StoreEngineKind& kind : kStoreEngines) {
    if (kind.name != options.serve) continue;
    auto engine = kind.make(plan.settings);
    if (engine == nullptr) return 2;
    TailWorker worker(plan, std::move(engine), options.dir);
    ServePhases(
        [&](std::string_view phase, unsigned) { return worker.Run(phase); });
    return 0;
  }
  return 2;
}

int Serve(const BenchOptions& options) {
  if (options.cold) return ServeCold(options);
  if (options.tail || options.fill) return ServeTail(options);
  const StorePlan plan = PlanFor(options);
  for (const StoreEngineKind& kind : kStoreEngines) {
    if (kind.name != options.serve) continue;
    auto engine = kind.make(plan.settings);
    if (engine == nullptr) return 2;
    StoreWorker worker(plan, std::move(engine), options.dir);
    ServePhases([&](std::string_view phase, unsigned round) {
      return worker.Run(phase, round);
    });
    return 0;
  }
  return 2;
}

// A line each on a pipe; on a terminal one line, which the next one overwrites.
void ShowProgress(std::string_view what) {
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  fmt::print(stderr, "{}{}{}", terminal ? "\r\x1b[K" : "", what,
             terminal ? "" : "\n");
}

void ClearProgress() {
  if (::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\x1b[K");
}

int Fail(const Status& status, int code) {
  ClearProgress();
  fmt::print(stderr, "bench_store: {}\n", status.message());
  return code;
}

// The directory in which this run makes its own, so that removing that one
// never touches what was there before.
Status MakeDirectory(BenchOptions* options) {
  std::error_code error;
  std::string under = options->dir;
  if (under.empty()) {
    under = std::filesystem::temp_directory_path(error).string();
  } else {
    std::filesystem::create_directories(under, error);
  }
  if (error) return Status::IoError(under + ": " + error.message());
  std::string pattern = under + "/bench_store.XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    return Status::IoError("cannot make a directory in " + under);
  }
  options->dir = pattern;
  return Status::Ok();
}

std::uint64_t BytesNeeded(const BenchOptions& options) {
  if (!options.tail && !options.fill) {
    return kDiskShare * PlanFor(options).keys * kEntryBytes + kLogs;
  }
  return kTailDiskShare * TailPlanFor(options).keys * kEntryBytes + kLogs;
}

Status CheckRoom(const BenchOptions& options) {
  const std::uint64_t needed = BytesNeeded(options);
  std::error_code error;
  const auto space = std::filesystem::space(options.dir, error);
  if (error) return Status::IoError(options.dir + ": " + error.message());
  fmt::print(stderr, "stores go to {}: {} MiB needed, {} MiB free\n",
             options.dir, needed / kMebibyte, space.available / kMebibyte);
  if (space.available >= needed) return Status::Ok();
  return Status::ResourceExhausted(
      "not enough room; --dir names another place, --keys asks for less");
}

Status CheckOutputs(const BenchOptions& options) {
  const bool draws = !options.plot.empty() || !options.svg.empty();
  if (options.cold && (draws || options.snappy || options.rocksdb_caches)) {
    return Status::InvalidArgument(
        "--cold draws nothing, compresses nothing and reads RocksDB's tables "
        "in all ways");
  }
  if ((options.tail || options.fill) &&
      (options.cold || !options.plot.empty() || !options.from.empty())) {
    return Status::InvalidArgument(
        "--tail and --fill draw by --svg, and only what they measure");
  }
  if (!options.only.empty() && !options.tail && !options.fill) {
    return Status::InvalidArgument("--only is for --tail and --fill");
  }
  if (!options.plot.empty()) {
    if (Status there = CheckGnuplot(); !there.ok()) return there;
  }
  for (const std::string& path : {options.json, options.plot, options.svg}) {
    if (path.empty() || path == "-") continue;
    if (!std::ofstream(path, std::ios::app)) {
      return Status::IoError("cannot write to " + path);
    }
  }
  return Status::Ok();
}

Status WriteText(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::trunc);
  out << text;
  out.close();
  return out ? Status::Ok() : Status::IoError("cannot write to " + path);
}

Status Draw(const BenchOptions& options, const StoreRun& run) {
  if (!options.svg.empty()) {
    Status drawn = WriteText(options.svg, DrawStorePicture(run));
    if (!drawn.ok()) return drawn;
  }
  if (options.plot.empty()) return Status::Ok();
  return DrawStorePlot(run, options.plot);
}

Status Print(const BenchOptions& options, const std::string& text,
             const std::string& json) {
  fmt::print("{}", options.json == "-" ? json : text);
  std::fflush(stdout);
  if (options.json.empty() || options.json == "-") return Status::Ok();
  return WriteText(options.json, json);
}

int DrawStored(const BenchOptions& options) {
  if (options.svg.empty() && options.plot.empty()) {
    return Fail(Status::InvalidArgument("--from wants --svg or --plot"), 2);
  }
  if (Status fine = CheckOutputs(options); !fine.ok()) return Fail(fine, 2);
  std::ifstream in(options.from);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto run = ParseStoreJson(text);
  if (!run.ok()) {
    return Fail(Status::Corruption(options.from + ": " +
                                   std::string(run.status().message())),
                2);
  }
  if (Status drawn = Draw(options, *run); !drawn.ok()) return Fail(drawn, 1);
  return 0;
}

// An interrupt from the terminal ends the stores' processes.  This process
// notices that, and continues, to remove what they leave.
void OutliveTheStores() {
  for (const int signal : {SIGINT, SIGPIPE}) std::signal(signal, [](int) {});
}

// What leaves the figures of a run of the usual size as they are.
constexpr std::string_view kHarmless[] = {"--keep", "--json", "--plot",
                                          "--svg",  "--dir",  "--cold"};

int ConductWarm(const BenchOptions& options) {
  const auto run = MeasureStores(
      PlanFor(options), options.rounds,
      [&](std::string_view name) { return ChildArguments(options, name); },
      ShowProgress);
  ClearProgress();
  if (!run.ok()) return Fail(run.status(), 1);
  Status printed = Print(options, StoreText(*run), StoreJson(*run));
  if (printed.ok()) {
    printed = KeepResults(options.keeping, run->machine, "store.json",
                          StoreJson(*run));
  }
  if (printed.ok()) printed = Draw(options, *run);
  return printed.ok() ? 0 : Fail(printed, 1);
}

// Returns 77 where a test finds no disk that it could make cold.
int ConductCold(const BenchOptions& options) {
  constexpr int kSkipped = 77;
  BenchOptions filling = options;
  filling.operations = 0;  // those of the warm-up, not those of the phases
  const auto dir = [&](std::string_view engine) {
    return options.dir + "/" + std::string(engine) + "/fill_random";
  };
  const ColdArguments arguments = {
      .fill =
          [&](std::string_view name) { return ChildArguments(filling, name); },
      .read =
          [&](const ColdStore& store) {
            return ColdArgumentsFor(options, store,
                                    dir(kStoreEngines[store.engine].name));
          },
      .dir = dir};
  const auto run = MeasureCold(ColdPlanFor(options), options.rounds, arguments,
                               ShowProgress);
  ClearProgress();
  if (!run.ok()) {
    if (run.status().code() != StatusCode::kNotSupported) {
      return Fail(run.status(), 1);
    }
    return Fail(run.status(), options.smoke ? kSkipped : 2);
  }
  Status printed = Print(options, ColdText(*run), ColdJson(*run));
  if (printed.ok()) {
    printed = KeepResults(options.keeping, run->machine, "store-cold.json",
                          ColdJson(*run));
  }
  return printed.ok() ? 0 : Fail(printed, 1);
}

int ConductTail(const BenchOptions& options) {
  const auto run = MeasureTail(
      TailPlanFor(options),
      [&](std::string_view name) { return TailArgumentsFor(options, name); },
      ShowProgress);
  ClearProgress();
  if (!run.ok()) return Fail(run.status(), 1);
  Status printed = Print(options, TailText(*run), TailJson(*run));
  if (printed.ok() && !options.svg.empty()) {
    printed = WriteText(options.svg, DrawTailPicture(*run));
  }
  return printed.ok() ? 0 : Fail(printed, 1);
}

int ConductMode(const BenchOptions& options) {
  if (options.tail || options.fill) return ConductTail(options);
  return options.cold ? ConductCold(options) : ConductWarm(options);
}

int Conduct(BenchOptions options) {
  if (Status fine = CheckOutputs(options); !fine.ok()) return Fail(fine, 2);
  if (Status made = MakeDirectory(&options); !made.ok()) return Fail(made, 2);
  OutliveTheStores();
  const Status room = CheckRoom(options);
  const int code = room.ok() ? ConductMode(options) : Fail(room, 2);
  std::error_code ignored;
  std::filesystem::remove_all(options.dir, ignored);
  return code;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) {
  CLI::App app("One workload through Tamis, LevelDB, RocksDB and LMDB",
               "bench_store");
  tamis::bench::BenchOptions options;
  tamis::bench::AddOptions(&app, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  options.keeping.another =
      tamis::bench::WhatMakesItAnother(app, tamis::bench::kHarmless);
  if (options.rounds == 0) {
    options.rounds = options.cold && options.smoke ? 1 : 3;
  }
  if (!options.serve.empty()) return tamis::bench::Serve(options);
  if (!options.from.empty()) return tamis::bench::DrawStored(options);
  return tamis::bench::Conduct(options);
}
