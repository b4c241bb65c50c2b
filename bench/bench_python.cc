// SPDX-License-Identifier: Apache-2.0
// bench_python: filters that Python builds from NumPy arrays, and queries with
// them, beside the same in C++.  Python runs python_keys.py in a process of its
// own, which must come to the same answers.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/clocks.h"
#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/text_table.h"
#include "tamis/filter.h"

namespace tamis::bench {
namespace {

constexpr int kSkipped = 77;
constexpr double kAtMost = 1.3;
constexpr std::string_view kSorts[] = {"int64", "S16"};
constexpr std::string_view kMaybes = "maybes";  // beside what is timed

#ifdef TAMIS_BENCH_PYTHON
constexpr const char* kPython = TAMIS_BENCH_PYTHON;
#else
constexpr const char* kPython = nullptr;
#endif

struct Options {
  std::uint64_t keys = 10'000'000;
  unsigned rounds = 3;
  bool smoke = false;
};

// "int64 build" and the like, to nanoseconds per key, one per round.
using Samples = std::map<std::string, std::vector<double>, std::less<>>;

[[noreturn]] void Fail(const std::string& what) {
  fmt::print(stderr, "bench_python: {}\n", what);
  std::exit(1);
}

void Must(const Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

// The finalizer of SplitMix64 without its last step, as in python_keys.py.
std::uint64_t Mixed(std::uint64_t number) {
  number *= 0x9E3779B97F4A7C15;
  number ^= number >> 30;
  number *= 0xBF58476D1CE4E5B9;
  return number ^ number >> 27;
}

// Keys of one width, one after the other.
struct Column {
  std::string bytes;
  std::size_t width = 0;

  Slice operator[](std::size_t i) const {
    return Slice(bytes).substr(i * width, width);
  }
  std::size_t size() const { return bytes.size() / width; }
};

Column MakeColumn(std::string_view sort, std::uint64_t first,
                  std::uint64_t count) {
  Column column{.bytes = {}, .width = sort == "int64" ? 8u : 16u};
  column.bytes.resize(count * column.width);
  for (std::uint64_t i = 0; i < count; ++i) {
    char* const at = column.bytes.data() + i * column.width;
    std::array<unsigned char, 8> octets;
    const std::uint64_t number = Mixed(first + i);
    std::memcpy(octets.data(), &number, octets.size());
    if (column.width == octets.size()) {
      std::memcpy(at, octets.data(), octets.size());
      continue;
    }
    for (std::size_t octet = 0; octet < octets.size(); ++octet) {
      at[2 * octet] = "0123456789abcdef"[octets[octet] >> 4];
      at[2 * octet + 1] = "0123456789abcdef"[octets[octet] & 15];
    }
  }
  return column;
}

// Calls work(slices, first) for pieces of the column, as a program would that
// has one.
template <typename Work>
void ForPieces(const Column& column, Work&& work) {
  std::array<Slice, 256> slices;
  for (std::size_t first = 0; first < column.size(); first += slices.size()) {
    const std::size_t n = std::min(slices.size(), column.size() - first);
    for (std::size_t i = 0; i < n; ++i) slices[i] = column[first + i];
    work(std::span<const Slice>(slices.data(), n), first);
  }
}

std::string Build(const FilterPolicy& policy, const Column& keys) {
  const std::unique_ptr<FilterBuilder> builder = policy.NewBuilder();
  ForPieces(keys, [&](std::span<const Slice> piece, std::size_t /*first*/) {
    builder->AddMany(piece);
  });
  std::string bytes;
  Must(builder->Finish(&bytes));
  return bytes;
}

// How many keys of the column may be in the filter.
std::size_t Query(const FilterReader& filter, const Column& keys,
                  bool* answers) {
  ForPieces(keys, [&](std::span<const Slice> piece, std::size_t first) {
    filter.MayContainMany(piece, {answers + first, piece.size()});
  });
  return static_cast<std::size_t>(
      std::count(answers, answers + keys.size(), true));
}

void RunHere(const FilterPolicy& policy, std::uint64_t keys, Samples* samples) {
  for (const std::string_view sort : kSorts) {
    const auto note = [&](std::string_view what, double value) {
      (*samples)[fmt::format("{} {}", sort, what)].push_back(value);
    };
    const double per_key = 1 / static_cast<double>(keys);
    const Column present = MakeColumn(sort, 0, keys);
    const double start = WallNanoseconds();
    const std::string bytes = Build(policy, present);
    note("build", (WallNanoseconds() - start) * per_key);
    const auto filter = policy.Open(bytes);
    Must(filter.status());
    const Column absent = MakeColumn(sort, keys, keys);
    const double asked = WallNanoseconds();
    const std::unique_ptr<bool[]> answers(new bool[keys]);
    const std::size_t maybes = Query(**filter, absent, answers.get());
    note("query", (WallNanoseconds() - asked) * per_key);
    note(kMaybes, static_cast<double>(maybes));
    if (Query(**filter, present, answers.get()) != keys)
      Fail("a key is hidden");
  }
}

void RunInPython(std::string_view policy, std::uint64_t keys,
                 Samples* samples) {
  const std::string command = fmt::format("{} {} {}", kPython, keys, policy);
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) Fail("cannot run " + command);
  std::array<char, 16> sort;
  std::array<char, 16> what;
  double value = 0;
  while (std::fscanf(pipe, "%15s %15s %lf", sort.data(), what.data(), &value) ==
         3) {
    (*samples)[fmt::format("{} {}", sort.data(), what.data())].push_back(value);
  }
  if (pclose(pipe) != 0) Fail(command + " failed");
}

void AddRow(std::string_view policy, const std::string& what,
            const Samples& here, const Samples& python,
            std::vector<Cells>* rows) {
  const auto there = python.find(what);
  if (there == python.end()) Fail("Python says nothing about " + what);
  const double cpp = Median(here.at(what));
  const double numpy = Median(there->second);
  rows->push_back({fmt::format("{}, {}", policy, what),
                   fmt::format("{:.2f}", cpp), fmt::format("{:.2f}", numpy),
                   fmt::format("{:.2f}", numpy / cpp),
                   numpy <= kAtMost * cpp ? "" : "misses"});
}

void Compare(std::string_view text, const Options& options,
             std::vector<Cells>* rows) {
  const auto policy = MakePolicy(text);
  Must(policy.status());
  Samples here;
  Samples python;
  Samples unused;  // of a first run, after which there is memory to use again
  RunHere(**policy, options.keys, &unused);
  for (unsigned round = 0; round < options.rounds; ++round) {
    if (round % 2 == 0) RunHere(**policy, options.keys, &here);
    RunInPython(text, options.keys, &python);
    if (round % 2 != 0) RunHere(**policy, options.keys, &here);
  }
  for (const std::string_view sort : kSorts) {
    AddRow(text, fmt::format("{} build", sort), here, python, rows);
    AddRow(text, fmt::format("{} query", sort), here, python, rows);
    const std::string maybes = fmt::format("{} {}", sort, kMaybes);
    if (here.at(maybes) != python[maybes]) Fail("Python has other answers");
  }
}

int Main(int argc, char** argv) {
  CLI::App app("Filters of NumPy arrays in Python, beside the same in C++");
  Options options;
  app.add_option("--keys", options.keys, "Keys of each filter")
      ->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{1} << 30))
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "Figures are medians")
      ->check(CLI::Range(1u, 100u))
      ->capture_default_str();
  app.add_flag("--smoke", options.smoke, "Only shows that everything works");
  CLI11_PARSE(app, argc, argv);
  if (kPython == nullptr) {
    fmt::print("bench_python: built without TAMIS_BUILD_PYTHON\n");
    return kSkipped;
  }
  if (options.smoke) options = {.keys = 20'000, .rounds = 1, .smoke = true};
  std::vector<Cells> rows = {{"ns per key", "C++", "Python", "ratio",
                              fmt::format("at most {}", kAtMost)}};
  for (const std::string_view policy : {"bloom:10", "ribbon:8", "fuse8"}) {
    Compare(policy, options, &rows);
  }
  fmt::print("{}\n{} keys, NumPy arrays in Python\n\n{}",
             MachineText(ThisMachine()), options.keys, Aligned(rows));
  return 0;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) { return tamis::bench::Main(argc, argv); }
