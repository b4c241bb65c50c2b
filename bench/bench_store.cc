// SPDX-License-Identifier: Apache-2.0
// bench_store: one workload through Tamis, LevelDB and RocksDB in one run.

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

#include "bench/gnuplot.h"
#include "bench/store_child.h"
#include "bench/store_phases.h"
#include "bench/store_report.h"
#include "bench/store_run.h"

namespace tamis::bench {
namespace {

constexpr std::uint64_t kMaxKeys = 1'000'000'000;
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kEntryBytes = kStoreKeyBytes + kStoreValueBytes;
// All three stores at once; one of them may be compacting, and keeps a log.
constexpr std::uint64_t kDiskShare = 5;
constexpr std::uint64_t kLogs = 3 * 2 * kStoreWriteBuffer;

struct Options {
  std::uint64_t keys = 0;        // 0: by --quick and --smoke
  std::uint64_t operations = 0;  // likewise
  unsigned rounds = 3;
  bool snappy = false;
  bool rocksdb_caches = false;
  bool quick = false;
  bool smoke = false;
  std::string dir;  // empty: a fresh one
  std::string json;
  std::string plot;
  std::string svg;
  std::string from;   // figures to draw; empty: measure
  std::string serve;  // the store to serve; empty: conduct
};

void AddOptions(CLI::App* app, Options* options) {
  app->add_option("--keys", options->keys,
                  "Entries (default: 10 million; 1 million if --quick)")
      ->check(CLI::Range(std::uint64_t{1000}, kMaxKeys));
  app->add_option("--operations", options->operations,
                  "Reads of each sort per round (default: 1 million, at most "
                  "a quarter of the keys)")
      ->check(CLI::Range(std::uint64_t{100}, kMaxKeys));
  app->add_option("--rounds", options->rounds,
                  "Every figure of reads is the median of that many")
      ->check(CLI::Range(1u, 100u))
      ->capture_default_str();
  app->add_flag("--snappy", options->snappy, "All three compress with Snappy");
  app->add_flag(
      "--rocksdb-caches", options->rocksdb_caches,
      "RocksDB caches the blocks of its tables instead of mapping them");
  app->add_option("--dir", options->dir,
                  "Where the stores go (default: a fresh directory under the "
                  "system's temporary directory)");
  app->add_option("--json", options->json,
                  "Write everything there as JSON; -: instead of the table");
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
      "Needs about 600 bytes of disk per entry.  Ends with 1 if a store gives\n"
      "a wrong answer, never because one is slow.\n"
      "Example:\n  bench_store --quick --json out.json");
}

StorePlan PlanFor(const Options& options) {
  StorePlan plan;
  plan.keys = options.keys;
  if (plan.keys == 0 && options.quick) plan.keys = 1'000'000;
  if (plan.keys == 0 && options.smoke) plan.keys = 20'000;
  if (plan.keys == 0) plan.keys = 10'000'000;
  plan.operations = options.operations;
  if (plan.operations == 0) {
    plan.operations = std::min<std::uint64_t>(1'000'000, plan.keys / 4);
  }
  plan.memtable_entries = std::min(plan.memtable_entries, plan.keys / 2);
  plan.settings.snappy = options.snappy;
  plan.settings.rocksdb_caches = options.rocksdb_caches;
  // Twice: caches are in shards, which do not fill evenly.
  plan.settings.cache_bytes = 2 * plan.keys * kEntryBytes + 64 * kMebibyte;
  if (options.smoke) {
    plan.overlapping_tables = 10;
    plan.settings.quiet_seconds = 0.1;
  }
  return plan;
}

std::vector<std::string> ChildArguments(const Options& options,
                                        std::string_view name) {
  const StorePlan plan = PlanFor(options);
  std::vector<std::string> arguments = {"bench_store",
                                        "--serve",
                                        std::string(name),
                                        "--dir",
                                        options.dir + "/" + std::string(name),
                                        "--keys",
                                        std::to_string(plan.keys),
                                        "--operations",
                                        std::to_string(plan.operations)};
  if (options.snappy) arguments.emplace_back("--snappy");
  if (options.rocksdb_caches) arguments.emplace_back("--rocksdb-caches");
  if (options.smoke) arguments.emplace_back("--smoke");
  return arguments;
}

int Serve(const Options& options) {
  const StorePlan plan = PlanFor(options);
  for (const StoreEngineKind& kind : kStoreEngines) {
    if (kind.name != options.serve) continue;
    auto engine = kind.make(plan.settings);
    if (engine == nullptr) return 2;
    StoreWorker worker(plan, std::move(engine), options.dir);
    ServePhases(&worker);
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
Status MakeDirectory(Options* options) {
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

Status CheckRoom(const Options& options, const StorePlan& plan) {
  const std::uint64_t needed = kDiskShare * plan.keys * kEntryBytes + kLogs;
  std::error_code error;
  const auto space = std::filesystem::space(options.dir, error);
  if (error) return Status::IoError(options.dir + ": " + error.message());
  fmt::print(stderr, "stores go to {}: {} MiB needed, {} MiB free\n",
             options.dir, needed / kMebibyte, space.available / kMebibyte);
  if (space.available >= needed) return Status::Ok();
  return Status::ResourceExhausted(
      "not enough room; --dir names another place, --keys asks for less");
}

Status CheckOutputs(const Options& options) {
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

Status Draw(const Options& options, const StoreRun& run) {
  if (!options.svg.empty()) {
    Status drawn = WriteText(options.svg, DrawStorePicture(run));
    if (!drawn.ok()) return drawn;
  }
  if (options.plot.empty()) return Status::Ok();
  return DrawStorePlot(run, options.plot);
}

Status Print(const Options& options, const StoreRun& run) {
  if (options.json == "-") {
    fmt::print("{}", StoreJson(run));
  } else {
    fmt::print("{}", StoreText(run));
  }
  std::fflush(stdout);
  if (!options.json.empty() && options.json != "-") {
    Status written = WriteText(options.json, StoreJson(run));
    if (!written.ok()) return written;
  }
  return Draw(options, run);
}

int DrawStored(const Options& options) {
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

int Conduct(Options options) {
  if (Status fine = CheckOutputs(options); !fine.ok()) return Fail(fine, 2);
  if (Status made = MakeDirectory(&options); !made.ok()) return Fail(made, 2);
  OutliveTheStores();
  const StorePlan plan = PlanFor(options);
  std::error_code ignored;
  if (Status room = CheckRoom(options, plan); !room.ok()) {
    std::filesystem::remove_all(options.dir, ignored);
    return Fail(room, 2);
  }
  const auto run = MeasureStores(
      plan, options.rounds,
      [&](std::string_view name) { return ChildArguments(options, name); },
      ShowProgress);
  ClearProgress();
  std::filesystem::remove_all(options.dir, ignored);
  if (!run.ok()) return Fail(run.status(), 1);
  if (Status printed = Print(options, *run); !printed.ok()) {
    return Fail(printed, 1);
  }
  return 0;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) {
  CLI::App app("One workload through Tamis, LevelDB and RocksDB",
               "bench_store");
  tamis::bench::Options options;
  tamis::bench::AddOptions(&app, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!options.serve.empty()) return tamis::bench::Serve(options);
  if (!options.from.empty()) return tamis::bench::DrawStored(options);
  return tamis::bench::Conduct(options);
}
