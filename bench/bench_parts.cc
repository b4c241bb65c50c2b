// SPDX-License-Identifier: Apache-2.0
// bench_parts: filters in parts, with memory for a tenth of them, against whole
// filters: those that a budget chooses, and those that are loaded when they are
// asked for and evict others.
//
// One store of few tables is made, and copied; the copies get filters of the
// same size, and are asked for missing keys.

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/clocks.h"
#include "bench/cold_disk.h"
#include "bench/machine.h"
#include "bench/memory_limit.h"
#include "bench/text_table.h"
#include "store/file_names.h"
#include "table/table_reader.h"
#include "tamis/store.h"
#include "tamis/store_tables.h"

namespace tamis::bench {
namespace {

struct Options {
  std::uint64_t keys = 200'000'000;
  std::uint64_t tables = 20;
  std::uint64_t lookups = 1'000'000;
  std::uint64_t share = 10;  // memory: one such part of the filters
  std::string dir;
  std::string json;
  std::uint64_t memory_mebibytes = 0;  // 0: no limit
  bool fill_only = false;
  std::vector<std::string> only;  // ways to choose keys; none: all
  bool quick = false;
  bool smoke = false;
};

[[noreturn]] void Fail(const std::string& what) {
  fmt::print(stderr, "bench_parts: {}\n", what);
  std::exit(1);
}

void Must(const Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

// Even numbers are there, odd ones are missing, within the range of a table.
std::string KeyText(std::uint64_t number) {
  return fmt::format("{:016}", number);
}

StoreOptions OptionsOf(const Options& bench, const std::string& filter,
                       std::uint64_t parts_above) {
  constexpr std::uint64_t kEntryBytes = 20;  // about, as stored
  StoreOptions options;
  options.create_if_missing = true;
  options.compression = Compression::kNone;
  options.leveldb_filter_bits = 0;
  options.filter = filter;
  options.filter_parts_above = parts_above;
  options.filter_seed = FilterSeed::kFixed;
  options.filter_loading = FilterLoading::kAtOpening;
  options.automatic_compaction = false;
  options.level0_slow_at = options.level0_stop_at = 1'000'000;
  options.write_buffer_bytes = std::size_t{128} << 20;
  options.table_bytes =
      std::max<std::uint64_t>(bench.keys / bench.tables, 1) * kEntryBytes;
  return options;
}

std::unique_ptr<Store> OpenOrFail(const std::string& dir,
                                  const StoreOptions& options) {
  auto store = Store::Open(dir, options);
  Must(store.status());
  return *std::move(store);
}

void Fill(const std::string& dir, const Options& bench) {
  const auto store = OpenOrFail(dir, OptionsOf(bench, "", 0));
  WriteBatch batch;
  constexpr std::uint64_t kAtOnce = 1000;
  for (std::uint64_t i = 0; i < bench.keys;) {
    batch.Clear();
    const std::uint64_t end = std::min(i + kAtOnce, bench.keys);
    for (; i < end; ++i) batch.Put(KeyText(2 * i), "v");
    Must(store->Write({}, batch));
  }
  Must(store->Compact());
}

// What the process has read by calls: filters, because data blocks are mapped.
struct CallsRead {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;

  static CallsRead Now() {
    CallsRead read;
    std::ifstream file("/proc/self/io");
    std::string name;
    std::uint64_t value = 0;
    while (file >> name >> value) {
      if (name == "rchar:") read.bytes = value;
      if (name == "syscr:") read.calls = value;
    }
    return read;
  }
};

// Missing keys, in one of three ways to choose them.
class Asked {
 public:
  enum class Kind { kUniform, kZipf, kZipfRanges };
  static constexpr Kind kKinds[] = {Kind::kUniform, Kind::kZipf,
                                    Kind::kZipfRanges};

  Asked(Kind kind, std::uint64_t keys)
      : kind_(kind), keys_(keys), random_(17) {}

  static const char* NameOf(Kind kind) {
    switch (kind) {
      case Kind::kUniform:
        return "uniform";
      case Kind::kZipf:
        return "Zipf, keys far apart";
      case Kind::kZipfRanges:
        break;
    }
    return "Zipf, neighbours";
  }

  // Zipf's law with an exponent of 1: the rank is as likely to be from 1 to 10
  // as from 10 to 100.
  std::string Next() {
    if (kind_ == Kind::kUniform) return KeyText(2 * (random_() % keys_) + 1);
    const double u =
        static_cast<double>(random_() >> 11) / 9007199254740992.0;  // 2^53
    auto rank =
        static_cast<std::uint64_t>(std::pow(static_cast<double>(keys_), u));
    rank = std::min(rank, keys_) - 1;
    if (kind_ == Kind::kZipf) {
      // A multiplier that scatters neighbours.
      rank = rank * 0x9e3779b97f4a7c15 % keys_;
    }
    return KeyText(2 * rank + 1);
  }

 private:
  const Kind kind_;
  const std::uint64_t keys_;
  std::mt19937_64 random_;
};

struct Measured {
  double calls = 0;   // of reads for filters, per lookup
  double kib = 0;     // read by them
  double blocks = 0;  // data blocks, per lookup
  double nanoseconds = 0;
  std::uint64_t held = 0;
};

// Asks twice as often, and measures the second half.
template <typename Ask, typename Blocks>
Measured Measure(Asked asked, std::uint64_t lookups, const Ask& ask,
                 const Blocks& blocks) {
  for (std::uint64_t i = 0; i < lookups; ++i) ask(asked.Next());
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < lookups; ++i) keys.push_back(asked.Next());
  const CallsRead before = CallsRead::Now();
  const std::uint64_t blocks_before = blocks();
  const double start = WallNanoseconds();  // disks are waited for
  for (const std::string& key : keys) ask(key);
  const double nanoseconds = WallNanoseconds() - start;
  const CallsRead after = CallsRead::Now();
  const auto count = static_cast<double>(lookups);
  Measured measured;
  measured.calls = static_cast<double>(after.calls - before.calls) / count;
  measured.kib = static_cast<double>(after.bytes - before.bytes) / 1024 / count;
  measured.blocks = static_cast<double>(blocks() - blocks_before) / count;
  measured.nanoseconds = nanoseconds / count;
  return measured;
}

Measured MeasureStore(const std::string& dir, StoreOptions options,
                      std::uint64_t budget, Asked::Kind kind,
                      const Options& bench) {
  options.filter_memory_bytes = budget;
  const auto store = OpenOrFail(dir, options);
  Must(store->WaitForQuiet());
  std::string value;
  Measured measured = Measure(
      Asked(kind, bench.keys), bench.lookups,
      [&](const std::string& key) {
        if (store->Get({}, key, &value).ok()) Fail("a missing key was found");
      },
      [&] {
        std::uint64_t blocks = 0;
        for (const LevelStats& level : store->Stats().levels) {
          blocks += level.blocks_read;
        }
        return blocks;
      });
  measured.held = store->Stats().filter_memory_held;
  if (measured.held > budget) Fail("more memory was held than allowed");
  return measured;
}

// Whole filters, the ones that were asked last in memory.
class LoadedAndEvicted {
 public:
  LoadedAndEvicted(const std::string& dir, std::uint64_t budget)
      : budget_(budget) {
    const auto tables = ListStoreTables(dir);
    Must(tables.status());
    for (const StoreTable& listed : *tables) {
      const std::string path = TableFileName(dir, listed.file_number);
      auto file = DefaultEnv().OpenReadable(path, true);
      Must(file.status());
      auto table = Table::Open(
          {}, std::shared_ptr<const ReadableFile>(*std::move(file)), path);
      Must(table.status());
      tables_.push_back({listed.largest, *std::move(table), nullptr});
    }
    std::sort(tables_.begin(), tables_.end(),
              [](const One& a, const One& b) { return a.largest < b.largest; });
  }

  void Ask(const std::string& key) {
    const auto at = std::lower_bound(
        tables_.begin(), tables_.end(), key,
        [](const One& one, const std::string& k) { return one.largest < k; });
    if (at == tables_.end()) return;
    const auto number = static_cast<std::size_t>(at - tables_.begin());
    const std::shared_ptr<const TableFilter> filter = FilterOf(number);
    if (!filter->MayContain(key)) return;
    LookupResult result;
    Must(at->table->Get(LookupKey(key, kMaxSequence), {}, filter.get(), nullptr,
                        &result));
    blocks_ += result.blocks_read;
  }
  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t held() const { return held_; }

 private:
  struct One {
    std::string largest;
    std::unique_ptr<Table> table;
    std::shared_ptr<const TableFilter> filter;
  };

  std::shared_ptr<const TableFilter> FilterOf(std::size_t number) {
    One& one = tables_[number];
    if (one.filter != nullptr) {
      recent_.remove(number);
      recent_.push_front(number);
      return one.filter;
    }
    auto filter = one.table->ReadFilter();
    Must(filter->damage());
    while (held_ + filter->bytes() > budget_ && !recent_.empty()) {
      One& oldest = tables_[recent_.back()];
      held_ -= oldest.filter->bytes();
      oldest.filter.reset();
      recent_.pop_back();
    }
    if (held_ + filter->bytes() <= budget_) {
      held_ += filter->bytes();
      one.filter = filter;
      recent_.push_front(number);
    }
    return filter;
  }

  const std::uint64_t budget_;
  std::vector<One> tables_;
  std::list<std::size_t> recent_;
  std::uint64_t held_ = 0;
  std::uint64_t blocks_ = 0;
};

class Run {
 public:
  Run(const Options& options, std::string dir)
      : options_(options), dir_(std::move(dir)) {}

  void Go() {
    // Both stores are whole if this file is there; it has what they hold.
    const std::string ready = dir_ + "/ready";
    if (!std::filesystem::exists(ready)) FillBoth(ready);
    const Filled filled = ReadFilled(ready);
    if (filled.keys != options_.keys || filled.tables != options_.tables) {
      Fail(
          fmt::format("{}: made with --keys {} --tables {}; give the same, or "
                      "another --dir",
                      dir_, filled.keys, filled.tables));
    }
    if (!options_.fill_only) Compare(filled.filter_bytes);
  }

  const nlohmann::ordered_json& json() const { return json_; }

 private:
  struct Filled {
    std::uint64_t keys = 0;
    std::uint64_t tables = 0;
    std::uint64_t filter_bytes = 0;
  };

  static Filled ReadFilled(const std::string& path) {
    Filled filled;
    std::ifstream file(path);
    if (!(file >> filled.keys >> filled.tables >> filled.filter_bytes)) {
      Fail(path + ": is not from a run of this program; remove it");
    }
    return filled;
  }

  void FillBoth(const std::string& ready) const {
    fmt::print(stderr, "filling\n");
    Fill(parts_dir(), options_);
    std::filesystem::copy(parts_dir(), whole_dir(),
                          std::filesystem::copy_options::recursive);
    Rewrite(parts_dir(), OptionsOf(options_, "bloom:10", 1));
    const std::uint64_t all =
        Rewrite(whole_dir(), OptionsOf(options_, "bloom:10", 0));
    std::ofstream file(ready);
    file << options_.keys << ' ' << options_.tables << ' ' << all << '\n';
    if (!file.flush()) Fail(ready + ": cannot be written");
  }

  bool IsAsked(Asked::Kind kind) const {
    return options_.only.empty() ||
           std::find(options_.only.begin(), options_.only.end(),
                     Asked::NameOf(kind)) != options_.only.end();
  }

  void Compare(std::uint64_t all) {
    const StoreOptions parts = OptionsOf(options_, "bloom:10", 1);
    const StoreOptions whole = OptionsOf(options_, "bloom:10", 0);
    const std::uint64_t budget = all / options_.share;
    const auto listed = ListStoreTables(whole_dir());
    Must(listed.status());
    fmt::print("{} tables, {:.1f} MiB of filters, memory for {:.1f} MiB\n\n",
               listed->size(), MiB(all), MiB(budget));
    std::vector<Cells> rows = {{"missing keys", "filters", "reads/lookup",
                                "KiB/lookup", "blocks/lookup", "ns/lookup",
                                "MiB held"}};
    for (const Asked::Kind kind : Asked::kKinds) {
      if (!IsAsked(kind)) continue;
      fmt::print(stderr, "{}\n", Asked::NameOf(kind));
      rows.push_back(
          Row(kind, "in parts",
              MeasureStore(parts_dir(), parts, budget, kind, options_)));
      rows.push_back(
          Row(kind, "whole, chosen",
              MeasureStore(whole_dir(), whole, budget, kind, options_)));
      rows.push_back(Row(kind, "whole, evicted",
                         MeasureEvicted(whole_dir(), budget, kind)));
      if (!HasMemoryFor(2 * all)) continue;
      rows.push_back(
          Row(kind, "whole, all",
              MeasureStore(whole_dir(), whole, 2 * all, kind, options_)));
    }
    fmt::print("{}\n", Aligned(rows));
  }

  bool HasMemoryFor(std::uint64_t bytes) const {
    return options_.memory_mebibytes == 0 || bytes < options_.memory_mebibytes
                                                         << 20;
  }

  std::string parts_dir() const { return dir_ + "/parts"; }
  std::string whole_dir() const { return dir_ + "/whole"; }

  static double MiB(std::uint64_t bytes) {
    return static_cast<double>(bytes) / (1 << 20);
  }

  // Gives the tables their filters, and returns the bytes of these.
  static std::uint64_t Rewrite(const std::string& dir,
                               const StoreOptions& options) {
    fmt::print(stderr, "writing filters: {}\n", dir);
    const auto store = OpenOrFail(dir, options);
    Must(store->CompactWith({.merge = false, .rewrite_what_differs = true})
             .status());
    for (int i = 0; i < 2; ++i) Must(store->WaitForQuiet());
    std::string value;
    (void)store->Get({}, KeyText(1), &value);
    return store->Stats().filter_memory_held;
  }

  // Every lookup may load a whole filter: few are enough to tell.
  Measured MeasureEvicted(const std::string& dir, std::uint64_t budget,
                          Asked::Kind kind) const {
    LoadedAndEvicted filters(dir, budget);
    Measured measured = Measure(
        Asked(kind, options_.keys),
        std::min<std::uint64_t>(options_.lookups, 1000),
        [&](const std::string& key) { filters.Ask(key); },
        [&] { return filters.blocks(); });
    measured.held = filters.held();
    return measured;
  }

  Cells Row(Asked::Kind kind, const char* filters, const Measured& measured) {
    nlohmann::ordered_json row;
    row["missing_keys"] = Asked::NameOf(kind);
    row["filters"] = filters;
    row["filter_reads"] = measured.calls;
    row["filter_kib"] = measured.kib;
    row["blocks"] = measured.blocks;
    row["ns"] = measured.nanoseconds;
    row["held_bytes"] = measured.held;
    json_.push_back(row);
    return {Asked::NameOf(kind),
            filters,
            fmt::format("{:.4f}", measured.calls),
            fmt::format("{:.3f}", measured.kib),
            fmt::format("{:.4f}", measured.blocks),
            fmt::format("{:.0f}", measured.nanoseconds),
            fmt::format("{:.2f}", MiB(measured.held))};
  }

  const Options& options_;
  const std::string dir_;
  nlohmann::ordered_json json_;
};

void Parse(CLI::App* app, Options* options) {
  app->add_option("--keys", options->keys, "Keys of the store")
      ->check(CLI::Range(std::uint64_t{10'000}, std::uint64_t{1} << 32))
      ->capture_default_str();
  app->add_option("--tables", options->tables, "About so many tables")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app->add_option("--lookups", options->lookups, "Missing keys of each kind")
      ->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{1} << 32))
      ->capture_default_str();
  app->add_option("--share", options->share,
                  "There is memory for one such part of the filters")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app->add_option("--dir", options->dir,
                  "Where the stores go (default: a fresh directory under the "
                  "system's temporary directory)");
  app->add_option("--memory", options->memory_mebibytes,
                  "MiB that the measurement may take, page cache included: so "
                  "that filters and data come from the disk (as root)")
      ->check(CLI::Range(64, 1 << 20));
  app->add_flag(
      "--fill", options->fill_only,
      "Only make the stores in --dir; a later run with the same --dir "
      "measures them");
  app->add_option("--only", options->only, "Only these ways to choose keys")
      ->check(CLI::IsMember({Asked::NameOf(Asked::Kind::kUniform),
                             Asked::NameOf(Asked::Kind::kZipf),
                             Asked::NameOf(Asked::Kind::kZipfRanges)}));
  app->add_option("--json", options->json, "Write all figures there");
  app->add_flag("--quick", options->quick, "2 million keys");
  app->add_flag("--smoke", options->smoke,
                "A tiny run that only shows that everything works");
  app->footer(
      "Needs about 40 bytes of disk per key.  Ends with 1 if a store answers\n"
      "wrongly or holds more than it may, never because one is slow.");
}

void WriteJson(const Options& options, const Run& run) {
  if (options.json.empty()) return;
  std::FILE* const file = std::fopen(options.json.c_str(), "w");
  if (file == nullptr) Fail(options.json + ": cannot be written");
  fmt::print(file, "{}\n", run.json().dump(1));
  std::fclose(file);
}

// In a process of its own, which leaves the limit when it ends.
void GoWithin(const MemoryLimit& limit, const Options& options, Run* run) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) Fail("cannot start a process");
  if (child == 0) {
    Must(limit.Enter());
    run->Go();
    WriteJson(options, *run);
    std::fflush(nullptr);
    ::_exit(0);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0) {
    Fail("the measurement was ended; more --memory may help");
  }
}

int Main(int argc, char** argv) {
  CLI::App app("Filters in parts against whole ones, where memory is short");
  Options options;
  Parse(&app, &options);
  CLI11_PARSE(app, argc, argv);
  if (options.quick) options.keys = 2'000'000;
  if (options.smoke) {
    options.keys = 30'000;
    options.tables = 3;
    options.lookups = 2000;
  }
  std::string dir = options.dir;
  const bool is_temporary = dir.empty();
  if (is_temporary) {
    dir = (std::filesystem::temp_directory_path() / "bench_parts.XXXXXX")
              .string();
    if (mkdtemp(dir.data()) == nullptr) Fail("no temporary directory");
  }
  std::filesystem::create_directories(dir);
  fmt::print("{}\n{} keys, {} lookups of missing keys\n",
             MachineText(ThisMachine()), options.keys, options.lookups);
  Run run(options, dir);
  if (options.memory_mebibytes == 0) {
    run.Go();
    WriteJson(options, run);
  } else {
    Must(DropPageCache(dir, Drop::kFiles).status());
    const auto limit = MemoryLimit::Make(options.memory_mebibytes << 20);
    Must(limit.status());
    fmt::print("{} MiB of memory\n", options.memory_mebibytes);
    GoWithin(*limit, options, &run);
  }
  if (is_temporary) {
    std::error_code ignored;
    std::filesystem::remove_all(dir, ignored);
  }
  return 0;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) { return tamis::bench::Main(argc, argv); }
