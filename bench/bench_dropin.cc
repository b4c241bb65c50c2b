// SPDX-License-Identifier: Apache-2.0
// bench_dropin: a program that uses LevelDB, unmodified, on LevelDB's library
// and on libleveldb.so.1d of Tamis.  The program is this one: two processes of
// it, with another library path, run the phases of bench_store for LevelDB.

#include <dlfcn.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/store_child.h"
#include "bench/store_plans.h"

namespace tamis::bench {
namespace {

constexpr int kSkipped = 77;
#ifdef TAMIS_BENCH_DROPIN
constexpr const char* kOurLibrary = TAMIS_BENCH_DROPIN;
#else
constexpr const char* kOurLibrary = nullptr;
#endif

constexpr std::string_view kOnce[] = {"fill_seq", "fill_random", "warm_up"};
constexpr std::string_view kInRounds[] = {
    "missing", "present", "missing_two", "present_two", "scan", "short_scan"};

struct Bound {
  std::string_view what;
  std::string_view figure;
  double at_most;
};
constexpr Bound kBounds[] = {
    {"missing keys", "missing", 0.3},
    {"missing keys, two threads", "missing_two", 0.3},
    {"present keys", "present", 1.0},
    {"present keys, two threads", "present_two", 1.0},
    {"full scan", "scan", 1.0},
    {"short scans", "short_scan", 1.0},
    {"sequential fill", "fill_seq", 1.0},
    {"sequential fill, settled", "fill_seq_settled", 1.0},
    {"random fill", "fill_random", 1.0},
    {"random fill, settled", "fill_random_settled", 1.0},
    {"opening, once", "open", 1.0},
};

using Samples = std::map<std::string, std::vector<double>, std::less<>>;

// One of the two processes.
struct Side {
  std::string name;
  std::string library_path;  // empty: the system's
  std::unique_ptr<StoreChild> child;
  Samples samples;
};

// The library that this process uses.
std::string LibraryInUse() {
  Dl_info info{};
  void* const function = ::dlsym(RTLD_DEFAULT, "leveldb_major_version");
  if (function == nullptr || ::dladdr(function, &info) == 0) return {};
  return std::filesystem::weakly_canonical(info.dli_fname).string();
}

int Serve(const BenchOptions& options) {
  const bool is_ours =
      LibraryInUse().find("tamis-leveldb") != std::string::npos;
  if (is_ours != (options.serve == "Tamis")) return 2;
  const StorePlan plan = PlanFor(options);
  StoreWorker worker(plan, NewLevelDbEngine(plan.settings), options.dir);
  ServePhases([&](std::string_view phase, unsigned round) {
    return worker.Run(phase, round);
  });
  return 0;
}

Status Start(const BenchOptions& options, Side* side) {
  std::vector<std::string> arguments = ChildArguments(options, side->name);
  arguments[0] = "bench_dropin";
  if (side->library_path.empty()) {
    ::unsetenv("LD_LIBRARY_PATH");
  } else {
    ::setenv("LD_LIBRARY_PATH", side->library_path.c_str(), 1);
  }
  auto child = StoreChild::Start(arguments);
  if (!child.ok()) return child.status();
  side->child = *std::move(child);
  return Status::Ok();
}

Status RunPhase(Side* side, std::string_view phase, unsigned round) {
  const Result<Figures> figures = side->child->Run(phase, round);
  if (!figures.ok()) {
    return figures.status().WithMessage(fmt::format(
        "{}, {}: {}", side->name, phase, figures.status().message()));
  }
  for (const auto& [name, sample] : *figures) {
    side->samples[name].push_back(sample.value);
  }
  return Status::Ok();
}

// Each round begins with the other one: what disturbs the machine disturbs
// both.
Status Measure(unsigned rounds, std::array<Side, 2>* sides) {
  const auto both = [sides](std::string_view phase, unsigned round) {
    for (unsigned i = 0; i < 2; ++i) {
      Status ran = RunPhase(&(*sides)[(i + round) % 2], phase, round);
      if (!ran.ok()) return ran;
    }
    return Status::Ok();
  };
  for (const std::string_view phase : kOnce) {
    if (Status ran = both(phase, 0); !ran.ok()) return ran;
  }
  for (unsigned round = 0; round < rounds; ++round) {
    for (const std::string_view phase : kInRounds) {
      if (Status ran = both(phase, round); !ran.ok()) return ran;
    }
  }
  for (unsigned round = 0; round < rounds; ++round) {
    if (Status ran = both("open", round); !ran.ok()) return ran;
  }
  return both("finish", 0);
}

void Report(const BenchOptions& options, const std::array<Side, 2>& sides) {
  const Machine machine = ThisMachine();
  fmt::print("{} entries, {} reads of each sort, {}\n", PlanFor(options).keys,
             PlanFor(options).operations, machine.cpu);
  fmt::print("{:28}{:>14}{:>14}{:>8}{:>10}\n", "microseconds per entry",
             sides[0].name, sides[1].name, "ratio", "at most");
  for (const Bound& bound : kBounds) {
    const auto theirs = sides[0].samples.find(bound.figure);
    const auto ours = sides[1].samples.find(bound.figure);
    if (theirs == sides[0].samples.end() || ours == sides[1].samples.end()) {
      continue;
    }
    const double before = Median(theirs->second);
    const double after = Median(ours->second);
    fmt::print("{:28}{:>14.3f}{:>14.3f}{:>8.2f}{:>10.2f}  {}\n", bound.what,
               before / 1e3, after / 1e3, after / before, bound.at_most,
               after / before <= bound.at_most ? "holds" : "misses");
  }
}

int Conduct(BenchOptions options) {
  std::string pattern =
      (options.dir.empty() ? std::filesystem::temp_directory_path().string()
                           : options.dir) +
      "/bench_dropin.XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    fmt::print(stderr, "bench_dropin: cannot make a directory\n");
    return 1;
  }
  options.dir = pattern;
  std::array<Side, 2> sides = {Side{"LevelDB", "", nullptr, {}},
                               Side{"Tamis", kOurLibrary, nullptr, {}}};
  Status done;
  for (Side& side : sides) {
    if (done.ok()) done = Start(options, &side);
  }
  if (done.ok()) done = Measure(options.rounds, &sides);
  for (Side& side : sides) side.child.reset();
  std::filesystem::remove_all(pattern);
  if (!done.ok()) {
    fmt::print(stderr, "bench_dropin: {}\n", done.message());
    return 1;
  }
  Report(options, sides);
  return 0;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) {
  using namespace tamis::bench;
  BenchOptions options;
  options.rounds = 3;
  CLI::App app("A program of LevelDB's, on LevelDB's library and on Tamis's");
  app.add_option("--keys", options.keys,
                 "Entries (default: 10 million; 1 million if --quick)");
  app.add_option("--operations", options.operations,
                 "Reads of each sort per round (default: 1 million, at most a "
                 "quarter of the keys)");
  app.add_option("--rounds", options.rounds, "Figures are medians (default: 3)")
      ->check(CLI::Range(1u, 100u));
  app.add_flag("--snappy", options.snappy, "Both compress with Snappy");
  app.add_option("--dir", options.dir, "Where the databases go");
  app.add_flag("--quick", options.quick, "1 million entries");
  app.add_flag("--smoke", options.smoke, "Only shows that everything works");
  app.add_option("--serve", options.serve)->group("");  // not for people
  CLI11_PARSE(app, argc, argv);
  if (!options.serve.empty()) return Serve(options);
  if (kOurLibrary == nullptr) {
    fmt::print("bench_dropin: built without TAMIS_BUILD_LEVELDB\n");
    return kSkipped;
  }
  if (options.smoke) options.rounds = 1;
  return Conduct(options);
}
