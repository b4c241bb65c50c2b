// SPDX-License-Identifier: Apache-2.0
// bench_doctor: `tamis scan` and `tamis verify` of many tables, beside `cat` of
// the same files: seconds and memory of each, as processes of their own.
//
// The tables are made first, unless the folder has them: LevelDB's format, keys
// of 16 bytes, no compression.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/worker_threads.h"
#include "bench/clocks.h"
#include "bench/machine.h"
#include "bench/text_table.h"
#include "table/table_builder.h"
#include "tamis/env.h"
#include "tamis/filter.h"

namespace tamis::bench {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::uint64_t tables = 2000;
  std::uint64_t keys = 100'000'000;
  std::uint64_t value_bytes = 100;
  std::string filter = "leveldb";
  std::string dir;
  std::string command = TAMIS_BENCH_COMMAND;
  bool fill_only = false;
  bool quick = false;
  bool smoke = false;
};

[[noreturn]] void Fail(const std::string& what) {
  fmt::print(stderr, "bench_doctor: {}\n", what);
  std::exit(1);
}

std::string TableName(std::uint64_t number) {
  return fmt::format("{:06}.ldb", number + 1);
}

Status MakeTable(const Options& bench, const FilterPolicy* own,
                 std::uint64_t number) {
  const std::uint64_t each = bench.keys / bench.tables;
  auto file = DefaultEnv().Create(bench.dir + "/" + TableName(number),
                                  WriteKind::kTable);
  if (!file.ok()) return file.status();
  TableWriteOptions options;
  options.filter = own;
  options.leveldb_filter_bits = own == nullptr ? 10 : 0;
  TableBuilder builder(options, (*file).get());
  const std::string value(bench.value_bytes, 'v');
  std::string key;
  for (std::uint64_t i = number * each; i < (number + 1) * each; ++i) {
    key.clear();
    AppendInternalKey(&key, fmt::format("{:016}", 2 * i), 1, ValueType::kValue);
    if (Status added = builder.Add(key, value); !added.ok()) return added;
  }
  if (Status done = builder.Finish(); !done.ok()) return done;
  return (*file)->Close();
}

// What the folder was made with; it is whole if this is there.
std::string StampOf(const Options& bench) {
  return fmt::format("{} {} {} {}\n", bench.tables, bench.keys,
                     bench.value_bytes, bench.filter);
}

void Fill(const Options& bench) {
  const std::string stamp = bench.dir + "/made";
  if (std::ifstream in(stamp); in) {
    const std::string made{std::istreambuf_iterator<char>(in), {}};
    if (made == StampOf(bench)) return;
    Fail(stamp + ": other tables are there; name another --dir");
  }
  std::unique_ptr<const FilterPolicy> own;
  if (bench.filter != "leveldb") {
    auto policy = MakePolicy(bench.filter);
    if (!policy.ok()) Fail(policy.status().message());
    own = *std::move(policy);
  }
  const double start = WallNanoseconds();
  const Status made = RunTasks(
      std::max(1u, std::thread::hardware_concurrency()), bench.tables,
      [&](std::size_t i, unsigned) { return MakeTable(bench, own.get(), i); });
  if (!made.ok()) Fail(made.ToString());
  fmt::print(stderr, "{} tables made in {:.0f} s\n", bench.tables,
             (WallNanoseconds() - start) / 1e9);
  std::ofstream(stamp) << StampOf(bench);
}

std::uint64_t BytesIn(const std::string& dir) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(dir)) {
    bytes += entry.file_size();
  }
  return bytes;
}

struct Spent {
  double seconds = 0;      // of the clock
  double cpu_seconds = 0;  // of all cores
  double mebibytes = 0;    // at the peak
};

// Runs the program with its output to nowhere.  Fails unless it returns 0.
Spent RunProgram(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) {
    argv.push_back(const_cast<char*>(word.c_str()));
  }
  argv.push_back(nullptr);
  const double start = WallNanoseconds();
  const pid_t child = ::fork();
  if (child < 0) Fail("a process cannot be started");
  if (child == 0) {
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(null, STDOUT_FILENO);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  if (::wait4(child, &status, 0, &used) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) != 0) {
    Fail(words[0] + " " + words[1] + " failed");
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_usec) / 1e6;
  };
  return {.seconds = (WallNanoseconds() - start) / 1e9,
          .cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime),
          .mebibytes = static_cast<double>(used.ru_maxrss) / 1024};
}

Spent Best(const std::vector<std::string>& words, int rounds) {
  Spent best = RunProgram(words);
  for (int i = 1; i < rounds; ++i) {
    const Spent one = RunProgram(words);
    if (one.seconds < best.seconds) best = one;
  }
  return best;
}

Cells RowOf(const std::string& name, const Spent& spent, double bytes) {
  return {name, fmt::format("{:.2f}", spent.seconds),
          fmt::format("{:.2f}", spent.cpu_seconds),
          fmt::format("{:.2f}", bytes / spent.seconds / 1e9),
          fmt::format("{:.0f}", spent.mebibytes)};
}

std::string Verdict(double value, double bound) {
  return value <= bound ? "holds" : "misses";
}

void Measure(const Options& bench) {
  const int rounds = bench.smoke ? 1 : 2;
  std::vector<std::string> cat = {"cat"};
  for (std::uint64_t i = 0; i < bench.tables; ++i) {
    cat.push_back(bench.dir + "/" + TableName(i));
  }
  RunProgram(cat);  // so that what fits is in the page cache
  const auto bytes = static_cast<double>(BytesIn(bench.dir));
  const Spent read = Best(cat, rounds);
  const Spent scan = Best({bench.command, "scan", bench.dir, "--csv"}, rounds);
  const Spent one = Best(
      {bench.command, "verify", bench.dir, "--csv", "-q", "--threads", "1"},
      rounds);
  const Spent all =
      Best({bench.command, "verify", bench.dir, "--csv", "-q"}, rounds);
  fmt::print("{} tables, {} keys, values of {} bytes, {:.2f} GB; {}\n\n",
             bench.tables, bench.keys, bench.value_bytes, bytes / 1e9,
             MachineText(ThisMachine()));
  fmt::print("{}\n", Aligned({{"", "s", "CPU s", "GB/s", "MiB"},
                              RowOf("cat", read, bytes),
                              RowOf("scan", scan, bytes),
                              RowOf("verify, one thread", one, bytes),
                              RowOf("verify, all threads", all, bytes)}));
  // Processor time, because other work on the machine takes the clock's.
  const double ratio = one.cpu_seconds / std::max(read.cpu_seconds, 1e-3);
  const double peak = std::max({scan.mebibytes, one.mebibytes, all.mebibytes});
  fmt::print("scan in seconds (below 10): {:.2f} s, {}\n", scan.seconds,
             Verdict(scan.seconds, 10));
  fmt::print("verify within 1.5 x of cat, per core: {:.2f} x, {}\n", ratio,
             Verdict(ratio, 1.5));
  fmt::print("memory below 200 MiB: {:.0f} MiB, {}\n", peak,
             Verdict(peak, 200));
}

void Parse(CLI::App* app, Options* options) {
  app->add_option("--tables", options->tables, "Tables")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app->add_option("--keys", options->keys, "Keys of all tables")
      ->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{1} << 32))
      ->capture_default_str();
  app->add_option("--value-bytes", options->value_bytes, "Bytes of each value")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  app->add_option("--filter", options->filter,
                  "leveldb, or the policy of a Tamis store: bloom:10, ribbon:8")
      ->capture_default_str();
  app->add_option("--dir", options->dir,
                  "Where the tables are, or are made and stay (default: a "
                  "folder in /var/tmp that is removed)");
  app->add_option("--command", options->command, "The tamis command")
      ->capture_default_str();
  app->add_flag("--fill", options->fill_only, "Only make the tables");
  app->add_flag("--quick", options->quick, "200 tables, 10 million keys");
  app->add_flag("--smoke", options->smoke, "4 tables, 4,000 keys");
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("tamis scan and tamis verify of many tables, beside cat");
  Parse(&app, &options);
  CLI11_PARSE(app, argc, argv);
  if (options.quick) {
    options.tables = 200;
    options.keys = 10'000'000;
  }
  if (options.smoke) {
    options.tables = 4;
    options.keys = 4000;
  }
  if (options.keys < options.tables) Fail("there are fewer keys than tables");
  const bool is_kept = !options.dir.empty();
  if (!is_kept) {
    std::string name = "/var/tmp/bench_doctor-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) Fail("no temporary folder");
    options.dir = name;
  }
  fs::create_directories(options.dir);
  Fill(options);
  if (!options.fill_only) Measure(options);
  std::error_code ignored;
  if (!is_kept) fs::remove_all(options.dir, ignored);
  return 0;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) { return tamis::bench::Main(argc, argv); }
