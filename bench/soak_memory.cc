// SPDX-License-Identifier: Apache-2.0
// soak_memory: mixed work on a store that is several times as large as the
// memory that it may use.  Called by `./run soak --memory`.

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/memory_limit.h"
#include "bench/memory_soak.h"

namespace tamis::bench {
namespace {

constexpr int kCannotLimit = 77;
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

struct Options {
  double minutes = 10;
  double interval = 30;
  std::uint64_t mebibytes = 512;
  unsigned times = 4;
  std::string dir;  // empty: a temporary one
  bool snappy = false;
  bool no_limit = false;
  bool smoke = false;
  SoakPlan plan;
};

void AddOptions(CLI::App* app, Options* options) {
  app->add_option("--minutes", options->minutes, "How long it works")
      ->check(CLI::Range(0.01, 100'000.0))
      ->capture_default_str();
  app->add_option("--interval", options->interval,
                  "Seconds between two lines; ten lines at least")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  app->add_option("--mib", options->mebibytes,
                  "Memory that it may use, page cache included")
      ->check(CLI::Range(std::uint64_t{128}, std::uint64_t{1} << 20))
      ->capture_default_str();
  app->add_option("--times", options->times,
                  "The store's keys and values, in multiples of that memory")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  app->add_option("--threads", options->plan.threads, "Threads that work")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str();
  app->add_option("--hot", options->plan.hot_keys,
                  "Keys that four of ten operations look up")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30))
      ->capture_default_str();
  app->add_option("--seed", options->plan.seed, "Of the keys that are drawn")
      ->capture_default_str();
  app->add_option("--dir", options->dir,
                  "Where the store goes (default: a new directory in the "
                  "usual place); not in memory");
  app->add_flag("--snappy", options->snappy, "The store compresses");
  app->add_flag("--no-limit", options->no_limit,
                "Limit nothing: the process is below a limit already");
  app->add_flag("--smoke", options->smoke,
                "A tiny run that only shows that everything works");
  app->footer(
      "Ends with 1 if the store answers wrongly, if its own memory grows or if "
      "its\nrate collapses, and with 77 if memory cannot be limited here.");
}

void PrintHead() {
  fmt::print("{:>8} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}\n",
             "seconds", "op/s", "own MiB", "file MiB", "read MiB", "merge MiB",
             "hot disk", "cold disk", "stall ms");
}

void PrintRow(double seconds, const SoakInterval& row) {
  fmt::print("{:8.0f} {:9.0f} {:8} {:9} {:9} {:9} {:8.2f}% {:8.2f}% {:8}\n",
             seconds, row.rate, row.own_bytes / kMebibyte,
             row.file_bytes / kMebibyte, row.disk_bytes / kMebibyte,
             row.compacted_bytes / kMebibyte, row.hot_share * 100,
             row.cold_share * 100, row.stall_microseconds / 1000);
  std::fflush(stdout);
}

// The verdict on runs that are made up.
bool JudgesRightly() {
  const std::vector<SoakInterval> steady(
      12, SoakInterval{.rate = 1000, .own_bytes = 100 * kMebibyte});
  std::vector<SoakInterval> grown = steady;
  grown[9].own_bytes = 160 * kMebibyte;
  std::vector<SoakInterval> slow = steady;
  for (std::size_t i = 9; i < slow.size(); ++i) slow[i].rate = 200;
  return FaultsOf(steady).empty() && FaultsOf(grown).size() == 1 &&
         FaultsOf(slow).size() == 1;
}

// In the process that is limited.
int Work(const Options& options, const MemoryLimit* limit) {
  if (limit != nullptr) {
    if (Status entered = limit->Enter(); !entered.ok()) {
      fmt::print(stderr, "soak_memory: {}\n", entered.ToString());
      return kCannotLimit;
    }
  }
  const double step = options.plan.interval_seconds;
  std::vector<SoakInterval> intervals;
  PrintHead();
  const Status worked = Soak(options.plan, [&](const SoakInterval& interval) {
    intervals.push_back(interval);
    PrintRow(step * static_cast<double>(intervals.size()), interval);
  });
  if (!worked.ok()) {
    fmt::print(stderr, "soak_memory: {}\n", worked.ToString());
    return 1;
  }
  if (options.smoke) return 0;  // too short to judge
  const std::vector<std::string> faults = FaultsOf(intervals);
  for (const std::string& fault : faults) {
    fmt::print(stderr, "soak_memory: {}\n", fault);
  }
  return faults.empty() ? 0 : 1;
}

// Runs Work() in a process of its own, so that the limit can be removed after
// it, whatever becomes of it.
int WorkApart(const Options& options, const MemoryLimit* limit) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child < 0) return 1;
  if (child == 0) {
    const int code = Work(options, limit);
    std::fflush(stdout);
    std::_Exit(code);
  }
  int how = 0;
  while (::waitpid(child, &how, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(how)) return WEXITSTATUS(how);
  fmt::print(
      stderr, "soak_memory: ended by signal {}{}\n", WTERMSIG(how),
      WTERMSIG(how) == SIGKILL ? ": it took more memory than it may" : "");
  return 1;
}

int RunIn(const std::string& dir, Options options) {
  options.plan.dir = dir;
  if (options.smoke && !JudgesRightly()) return 1;
  const std::uint64_t bytes = options.mebibytes * kMebibyte;
  options.plan.store_bytes =
      options.smoke ? 8 * kMebibyte : bytes * options.times;
  if (options.snappy) options.plan.compression = Compression::kSnappy;
  const double seconds = options.smoke ? 2 : options.minutes * 60;
  options.plan.intervals =
      static_cast<unsigned>(std::clamp(seconds / options.interval, 10.0, 1e6));
  options.plan.interval_seconds = seconds / options.plan.intervals;
  if (options.no_limit) return WorkApart(options, nullptr);
  const auto limit = MemoryLimit::Make(bytes);
  if (!limit.ok()) {
    fmt::print(stderr, "soak_memory: {}\n", limit.status().message());
    return kCannotLimit;
  }
  fmt::print("{} MiB of memory, {} MiB of keys and values\n", options.mebibytes,
             options.plan.store_bytes / kMebibyte);
  return WorkApart(options, &*limit);
}

int Main(int argc, char** argv) {
  CLI::App app("Mixed work on a store that is larger than memory");
  Options options;
  AddOptions(&app, &options);
  CLI11_PARSE(app, argc, argv);
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path above =
      options.dir.empty() ? fs::temp_directory_path() : fs::path(options.dir);
  std::string name = (above / "soak_memory.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    fmt::print(stderr, "soak_memory: cannot make a directory in {}\n",
               above.string());
    return 1;
  }
  const int code = RunIn(name, options);
  fs::remove_all(name, error);
  return code;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) { return tamis::bench::Main(argc, argv); }
