// SPDX-License-Identifier: Apache-2.0
// bench_levels: what a memory budget for the filters of a store gains over the
// same bits per key on every level.
//
// Trees of a known shape are made once, and copied; each copy gets other
// filters, and is then asked for missing keys.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/clocks.h"
#include "bench/machine.h"
#include "bench/store_keys.h"
#include "bench/text_table.h"
#include "tamis/filter_budget.h"
#include "tamis/store.h"
#include "tamis/store_tables.h"

namespace tamis::bench {
namespace {

constexpr std::size_t kValueBytes = 20;
constexpr unsigned kFanOut = 10;
constexpr std::uint64_t kSeed = 17;

struct Options {
  std::uint64_t keys = 20'000'000;
  std::uint64_t lookups = 1'000'000;
  std::string dir;
  std::string json;
  bool quick = false;
  bool smoke = false;
};

struct Shape {
  const char* name;
  unsigned levels;  // full ones, below level 0
  unsigned level0_tables;
};
constexpr Shape kShapes[] = {
    {"3 full levels", 3, 0},
    {"4 full levels", 4, 0},
    {"4 tables in level 0, 3 full levels", 3, 4},
};
constexpr double kBits[] = {5, 6, 8, 10};

[[noreturn]] void Fail(const std::string& what) {
  fmt::print(stderr, "bench_levels: {}\n", what);
  std::exit(1);
}

void Must(const Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

std::unique_ptr<Store> OpenOrFail(const std::string& dir,
                                  StoreOptions options) {
  options.create_if_missing = true;
  options.compression = Compression::kNone;
  options.leveldb_filter_bits = 0;
  options.filter_loading = FilterLoading::kAtOpening;
  auto store = Store::Open(dir, options);
  Must(store.status());
  return *std::move(store);
}

// A part of the keys, in an order that looks random.
class KeyParts {
 public:
  explicit KeyParts(std::uint64_t universe) : universe_(universe) {}

  void PutNext(std::uint64_t count, Store* store) {
    constexpr std::uint64_t kAtOnce = 1'000'000;
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t some = std::min(kAtOnce, count - done);
      const StoreKeys keys = StoreKeys::Shuffled({.universe = universe_,
                                                  .kind = KeyKind::kPresent,
                                                  .seed = kSeed,
                                                  .first = next_,
                                                  .count = some});
      for (std::size_t i = 0; i < keys.size(); ++i) {
        Must(store->Put({}, keys[i], ValueOf(keys[i]).substr(0, kValueBytes)));
      }
      done += some;
      next_ += some;
    }
    Must(store->Flush());
    Must(store->WaitForQuiet());
  }

 private:
  const std::uint64_t universe_;
  std::uint64_t next_ = 0;
};

// Options with which all that is written comes to rest on that level: the
// levels above it may have next to nothing, and it may have everything.
StoreOptions RestingOn(unsigned level) {
  StoreOptions options;
  options.filter = "";
  options.level0_compact_at = 1;
  if (level == 1) {
    options.level1_bytes = std::uint64_t{1} << 50;
    return options;
  }
  options.level1_bytes = 1;
  // Level n may have growth to the power of n - 1 bytes.
  options.level_growth = level == 2   ? 2'000'000'000u
                         : level == 3 ? 100'000u
                                      : 3'000u;
  return options;
}

// Keys of each level, the first at the front; level 0 has tables of a tenth of
// the first level.
std::vector<std::uint64_t> KeysOfLevels(const Shape& shape,
                                        std::uint64_t keys) {
  double units = static_cast<double>(shape.level0_tables) / kFanOut;
  double unit = 1;
  for (unsigned i = 0; i < shape.levels; ++i, unit *= kFanOut) units += unit;
  std::vector<std::uint64_t> levels;
  double here = static_cast<double>(keys) / units;
  for (unsigned i = 0; i < shape.levels; ++i, here *= kFanOut) {
    levels.push_back(static_cast<std::uint64_t>(here));
  }
  return levels;
}

// Makes the levels of the tree without filters, the lowest first.
KeyParts MakeLevels(const std::string& dir,
                    const std::vector<std::uint64_t>& levels,
                    std::uint64_t universe) {
  KeyParts parts(universe);
  for (std::size_t i = levels.size(); i > 0; --i) {
    const auto store = OpenOrFail(dir, RestingOn(static_cast<unsigned>(i)));
    parts.PutNext(levels[i - 1], store.get());
  }
  return parts;
}

// The sorted runs of the tree, each with its kind of filter.
std::vector<FilterRun> RunsOf(const std::string& dir, bool* uses_ribbon) {
  const auto tables = ListStoreTables(dir);
  Must(tables.status());
  std::vector<FilterRun> runs;
  int level = 0;
  for (const StoreTable& table : *tables) {
    if (table.level == 0 || table.level != level) runs.push_back({});
    level = table.level;
    runs.back().keys += table.estimated_keys;
    if (table.filter == "ribbon") {
      runs.back().kind = "ribbon";
      *uses_ribbon = true;
    }
  }
  return runs;
}

// Returns the list for StoreOptions::filter_per_level.
std::vector<std::string> SpecsOf(const Shape& shape,
                                 const std::vector<std::uint64_t>& levels,
                                 const std::string& kind,
                                 std::uint64_t budget) {
  std::vector<FilterRun> runs(
      shape.level0_tables,
      FilterRun{.keys = levels.front() / kFanOut, .kind = kind});
  for (const std::uint64_t keys : levels) {
    runs.push_back({.keys = keys, .kind = kind});
  }
  const auto division = DivideFilterMemory(runs, budget);
  Must(division.status());
  std::vector<std::string> specs;
  specs.push_back(division->shares.front().spec);  // of level 0
  for (std::size_t i = shape.level0_tables; i < runs.size(); ++i) {
    specs.push_back(division->shares[i].spec);
  }
  return specs;
}

struct Measured {
  double needless = 0;  // reads per missing key
  double nanoseconds = 0;
  std::uint64_t held = 0;  // bytes of filters
  double optimum = 0;      // needless reads, of the kinds that it has
  bool uses_ribbon = false;
  std::vector<FilterRun> runs;
};

// Gives a copy of the tree its filters, and asks it.
Measured Measure(const std::string& base, const std::string& copy,
                 const Shape& shape, KeyParts parts,
                 const std::vector<std::uint64_t>& levels,
                 const StoreOptions& filters, std::uint64_t budget,
                 const StoreKeys& missing) {
  std::filesystem::copy(base, copy, std::filesystem::copy_options::recursive);
  StoreOptions options = filters;
  options.automatic_compaction = false;
  options.level0_stop_at = 1000;
  auto store = OpenOrFail(copy, options);
  for (unsigned i = 0; i < shape.level0_tables; ++i) {
    parts.PutNext(levels.front() / kFanOut, store.get());
  }
  Must(store->CompactWith({.merge = false, .rewrite_what_differs = true})
           .status());
  store.reset();
  store = OpenOrFail(copy, options);
  Must(store->WaitForQuiet());
  const StoreStats before = store->Stats();
  std::string value;
  std::uint64_t found = 0;
  const double nanoseconds = Timed([&] {
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (store->Get({}, missing[i], &value).ok()) ++found;
    }
  });
  if (found != 0) Fail("a missing key was found");
  const StoreStats after = store->Stats();
  Measured measured;
  const auto count = static_cast<double>(missing.size());
  for (std::size_t i = 0; i < after.levels.size(); ++i) {
    measured.needless += static_cast<double>(after.levels[i].tables_read -
                                             before.levels[i].tables_read);
  }
  measured.needless /= count;
  measured.nanoseconds = nanoseconds / count;
  measured.held = after.filter_memory_held;
  store.reset();
  measured.runs = RunsOf(copy, &measured.uses_ribbon);
  const auto optimum = DivideFilterMemory(measured.runs, budget);
  Must(optimum.status());
  measured.optimum = optimum->needless_reads;
  std::filesystem::remove_all(copy);
  return measured;
}

std::string Reads(double reads) { return fmt::format("{:.4f}", reads); }
std::string Times(double times) { return fmt::format("{:.2f}", times); }

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {}

  void Go(const std::string& dir) {
    for (const Shape& shape : kShapes) {
      const std::string base = dir + "/base";
      const std::vector<std::uint64_t> levels =
          KeysOfLevels(shape, options_.keys);
      fmt::print(stderr, "{}: making the tree\n", shape.name);
      const KeyParts parts = MakeLevels(base, levels, options_.keys);
      std::vector<Cells> rows = {
          {"bits", "equal bits", "bloom alone", "gain", "ribbon", "gain",
           "budget", "gain", "optimum", "/optimum", "ns, equal", "ns, budget",
           "/equal", "kinds", "MiB held", "MiB allowed"}};
      for (const double bits : kBits) {
        fmt::print(stderr, "{}: {} bits per key\n", shape.name, bits);
        rows.push_back(Row(shape, bits, base, dir + "/copy", parts, levels));
      }
      std::filesystem::remove_all(base);
      std::string keys;
      for (const std::uint64_t count : levels) {
        keys += fmt::format("{}{}", keys.empty() ? "" : ", ", count);
      }
      fmt::print("{} ({} keys)\n\n{}\n", shape.name, keys, Aligned(rows));
    }
  }

  const nlohmann::ordered_json& json() const { return json_; }

 private:
  Cells Row(const Shape& shape, double bits, const std::string& base,
            const std::string& copy, const KeyParts& parts,
            const std::vector<std::uint64_t>& levels) {
    const auto budget = static_cast<std::uint64_t>(
        bits * static_cast<double>(options_.keys) / 8);
    const StoreKeys missing = StoreKeys::Shuffled({.universe = options_.keys,
                                                   .kind = KeyKind::kMissing,
                                                   .seed = kSeed + 1,
                                                   .first = 0,
                                                   .count = options_.lookups});
    StoreOptions equal_options;
    equal_options.filter = fmt::format("bloom:{}", bits);
    const Measured equal = Measure(base, copy, shape, parts, levels,
                                   equal_options, budget, missing);
    // The best division with filters of one kind.
    const auto divided_as = [&](const std::string& kind) {
      StoreOptions some;
      some.filter_per_level = SpecsOf(shape, levels, kind, budget);
      return Measure(base, copy, shape, parts, levels, some, budget, missing);
    };
    const Measured bloom = divided_as("bloom");
    const Measured ribbon = divided_as("ribbon");
    StoreOptions budget_options;
    budget_options.filter_memory_bytes = budget;
    const Measured divided = Measure(base, copy, shape, parts, levels,
                                     budget_options, budget, missing);
    if (divided.held > budget) Fail("more memory was held than allowed");
    constexpr double kMebibyte = 1 << 20;
    nlohmann::ordered_json row;
    row["shape"] = shape.name;
    row["bits_per_key"] = bits;
    row["equal_bits"] = equal.needless;
    row["bloom_alone"] = bloom.needless;
    row["ribbon"] = ribbon.needless;
    row["budget"] = divided.needless;
    row["optimum"] = divided.optimum;
    row["equal_ns"] = equal.nanoseconds;
    row["bloom_alone_ns"] = bloom.nanoseconds;
    row["ribbon_ns"] = ribbon.nanoseconds;
    row["budget_ns"] = divided.nanoseconds;
    row["held_bytes"] = divided.held;
    row["allowed_bytes"] = budget;
    for (const FilterRun& run : divided.runs) {
      row["runs"].push_back({{"keys", run.keys}, {"kind", run.kind}});
    }
    json_.push_back(row);
    return {
        fmt::format("{}", bits),
        Reads(equal.needless),
        Reads(bloom.needless),
        Times(equal.needless / bloom.needless),
        Reads(ribbon.needless),
        Times(equal.needless / ribbon.needless),
        Reads(divided.needless),
        Times(equal.needless / divided.needless),
        Reads(divided.optimum),
        Times(divided.needless / divided.optimum),
        fmt::format("{:.0f}", equal.nanoseconds),
        fmt::format("{:.0f}", divided.nanoseconds),
        Times(divided.nanoseconds / equal.nanoseconds),
        divided.uses_ribbon ? "bloom, ribbon" : "bloom",
        fmt::format("{:.2f}", static_cast<double>(divided.held) / kMebibyte),
        fmt::format("{:.2f}", static_cast<double>(budget) / kMebibyte)};
  }

  const Options& options_;
  nlohmann::ordered_json json_;
};

int Main(int argc, char** argv) {
  CLI::App app("What a memory budget for filters gains over equal bits");
  Options options;
  app.add_option("--keys", options.keys, "Keys of each tree")
      ->check(CLI::Range(std::uint64_t{10'000}, std::uint64_t{1} << 32))
      ->capture_default_str();
  app.add_option("--lookups", options.lookups, "Missing keys that are asked")
      ->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{1} << 32))
      ->capture_default_str();
  app.add_option("--dir", options.dir,
                 "Where the stores go (default: a fresh directory under the "
                 "system's temporary directory)");
  app.add_option("--json", options.json, "Write all figures there");
  app.add_flag("--quick", options.quick, "2 million keys");
  app.add_flag("--smoke", options.smoke,
               "A tiny run that only shows that everything works");
  app.footer(
      "Needs about 120 bytes of disk per key.  Ends with 1 if a store answers\n"
      "wrongly or holds more than it may, never because one is slow.");
  CLI11_PARSE(app, argc, argv);
  if (options.quick) options.keys = 2'000'000;
  if (options.smoke) {
    options.keys = 30'000;
    options.lookups = 2000;
  }
  options.lookups = std::min(options.lookups, options.keys);
  std::string dir = options.dir;
  const bool is_temporary = dir.empty();
  if (is_temporary) {
    dir = (std::filesystem::temp_directory_path() / "bench_levels.XXXXXX")
              .string();
    if (mkdtemp(dir.data()) == nullptr) Fail("no temporary directory");
  }
  fmt::print(
      "{}\n{} keys, {} lookups of missing keys; needless reads per "
      "lookup\n\n",
      MachineText(ThisMachine()), options.keys, options.lookups);
  Run run(options);
  run.Go(dir);
  if (is_temporary) {
    std::error_code ignored;
    std::filesystem::remove_all(dir, ignored);
  }
  if (!options.json.empty()) {
    std::FILE* const file = std::fopen(options.json.c_str(), "w");
    if (file == nullptr) Fail(options.json + ": cannot be written");
    fmt::print(file, "{}\n", run.json().dump(1));
    std::fclose(file);
  }
  return 0;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) { return tamis::bench::Main(argc, argv); }
