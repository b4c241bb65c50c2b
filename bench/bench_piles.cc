// SPDX-License-Identifier: Apache-2.0
// bench_piles.cc -- what lookups cost in many overlapping tables, with and
// without the router of level 0, against the same keys in one table.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/clocks.h"
#include "bench/machine.h"
#include "bench/store_keys.h"
#include "bench/text_table.h"
#include "tamis/store.h"

namespace tamis::bench {
namespace {

constexpr std::uint64_t kSeed = 23;
constexpr std::size_t kBatch = 100;
constexpr int kRounds = 5;
constexpr std::uint64_t kTables[] = {1, 100, 400};

struct Options {
  std::uint64_t keys = 4'000'000;
  std::uint64_t lookups = 400'000;
  std::string dir;
  bool quick = false;
  bool smoke = false;
};

[[noreturn]] void Fail(const std::string& what) {
  fmt::print(stderr, "bench_piles: {}\n", what);
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
  options.automatic_compaction = false;
  options.level0_slow_at = 1'000'000;
  options.level0_stop_at = 1'000'000;
  auto store = Store::Open(dir, options);
  Must(store.status());
  return *std::move(store);
}

// Each table has keys of the whole range.
void Fill(const std::string& dir, std::uint64_t keys, std::uint64_t tables) {
  constexpr std::uint64_t kBytesPerKey = 400;  // of a memtable, at most
  StoreOptions options;
  options.write_buffer_bytes = std::max<std::size_t>(
      options.write_buffer_bytes, keys / tables * kBytesPerKey);
  const auto store = OpenOrFail(dir, options);
  for (std::uint64_t i = 0; i < tables; ++i) {
    const std::uint64_t first = keys * i / tables;
    const StoreKeys some =
        StoreKeys::Shuffled({.universe = keys,
                             .kind = KeyKind::kPresent,
                             .seed = kSeed,
                             .first = first,
                             .count = keys * (i + 1) / tables - first});
    for (std::size_t j = 0; j < some.size(); ++j) {
      Must(store->Put({}, some[j], ValueOf(some[j])));
    }
    Must(store->Flush());
  }
}

// Nanoseconds per key.
struct Times {
  double missing = std::numeric_limits<double>::max();
  double present = missing;
  double batch_missing = missing;
  double batch_present = missing;
};

double TimeOfGets(Store* store, const StoreKeys& keys, bool are_there) {
  std::string value;
  std::uint64_t found = 0;
  const double spent = Timed([&] {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (store->Get({}, keys[i], &value).ok()) ++found;
    }
  });
  if (found != (are_there ? keys.size() : 0)) Fail("a wrong answer");
  return spent / static_cast<double>(keys.size());
}

double TimeOfBatches(Store* store, const StoreKeys& keys, bool are_there) {
  std::vector<Slice> slices(kBatch);
  std::vector<std::string> values(kBatch);
  std::vector<Status> statuses(kBatch);
  std::uint64_t found = 0;
  std::uint64_t asked = 0;
  const double spent = Timed([&] {
    for (std::size_t i = 0; i + kBatch <= keys.size(); i += kBatch) {
      for (std::size_t j = 0; j < kBatch; ++j) slices[j] = keys[i + j];
      store->MultiGet({}, slices, values, statuses);
      found += static_cast<std::uint64_t>(
          std::count_if(statuses.begin(), statuses.end(),
                        [](const Status& status) { return status.ok(); }));
      asked += kBatch;
    }
  });
  if (found != (are_there ? asked : 0)) Fail("a wrong answer");
  return spent / static_cast<double>(asked);
}

// The best of some rounds, each with other keys.
Times Measure(Store* store, const Options& options) {
  Times best;
  for (int round = 0; round < kRounds; ++round) {
    const auto keys = [&](KeyKind kind) {
      return StoreKeys::Shuffled(
          {.universe = options.keys,
           .kind = kind,
           .seed = kSeed + 1,
           .first = options.lookups * static_cast<std::uint64_t>(round),
           .count = options.lookups});
    };
    const StoreKeys missing = keys(KeyKind::kMissing);
    const StoreKeys present = keys(KeyKind::kPresent);
    const auto lower = [](double time, double* to) {
      *to = std::min(*to, time);
    };
    lower(TimeOfGets(store, missing, false), &best.missing);
    lower(TimeOfGets(store, present, true), &best.present);
    lower(TimeOfBatches(store, missing, false), &best.batch_missing);
    lower(TimeOfBatches(store, present, true), &best.batch_present);
  }
  return best;
}

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {}

  void Go(const std::string& dir) {
    rows_.push_back({"tables", "router", "missing", "/one", "present", "/one",
                     "MultiGet: missing", "/one", "present", "/one",
                     "bits per key: filters", "router", "goals"});
    for (const std::uint64_t tables : kTables) {
      const std::string pile = dir + "/pile";
      fmt::print(stderr, "{} tables\n", tables);
      Fill(pile, options_.keys, tables);
      Row(pile, tables, false);
      if (tables > 1) Row(pile, tables, true);
      std::filesystem::remove_all(pile);
    }
    fmt::print("{}", Aligned(rows_));
  }

 private:
  void Row(const std::string& pile, std::uint64_t tables, bool with_router) {
    StoreOptions options;
    if (!with_router) options.level0_route_at = 0;
    const auto store = OpenOrFail(pile, options);
    if (store->Stats().levels[0].tables != tables) Fail("not these tables");
    // Reads everything once, and asks for the router.
    const std::unique_ptr<Iterator> all = store->NewIterator();
    for (all->SeekToFirst(); all->Valid(); all->Next()) continue;
    Must(all->status());
    for (int i = 0; i < 128; ++i) (void)store->Get("no such key");
    Must(store->WaitForQuiet());
    const Times times = Measure(store.get(), options_);
    if (tables == 1) one_ = times;
    const StoreStats stats = store->Stats();
    const auto per_key = [&](std::uint64_t bytes) {
      return fmt::format("{:.1f}", 8 * static_cast<double>(bytes) /
                                       static_cast<double>(options_.keys));
    };
    const auto ratio = [](double a, double b) {
      return fmt::format("{:.2f}", a / b);
    };
    const auto ns = [](double time) { return fmt::format("{:.0f}", time); };
    const double most_missing = tables > 100 ? 2.0 : 1.5;
    constexpr double kMaxPresent = 1.3;
    const bool holds = times.missing <= most_missing * one_.missing &&
                       times.present <= kMaxPresent * one_.present;
    rows_.push_back(
        {std::to_string(tables), with_router ? "on" : "off", ns(times.missing),
         ratio(times.missing, one_.missing), ns(times.present),
         ratio(times.present, one_.present), ns(times.batch_missing),
         ratio(times.batch_missing, one_.batch_missing),
         ns(times.batch_present),
         ratio(times.batch_present, one_.batch_present),
         per_key(stats.levels[0].filter_bytes), per_key(stats.router_bytes),
         !with_router ? ""
                      : fmt::format("<= {:.1f}, <= {:.1f}: {}", most_missing,
                                    kMaxPresent, holds ? "holds" : "misses")});
  }

  const Options& options_;
  Times one_;
  std::vector<Cells> rows_;
};

int Main(int argc, char** argv) {
  CLI::App app("Lookups in many overlapping tables, against one table");
  Options options;
  app.add_option("--keys", options.keys, "Keys of each store")
      ->check(CLI::Range(std::uint64_t{10'000}, std::uint64_t{1} << 32))
      ->capture_default_str();
  app.add_option("--lookups", options.lookups, "Keys that a round asks")
      ->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{1} << 32))
      ->capture_default_str();
  app.add_option("--dir", options.dir,
                 "Where the stores go (default: a fresh directory under the "
                 "system's temporary directory)");
  app.add_flag("--quick", options.quick, "A million keys");
  app.add_flag("--smoke", options.smoke,
               "A tiny run that only shows that everything works");
  app.footer(
      "Needs about 150 bytes of disk and of memory per key.  Ends with 1 if a\n"
      "store answers wrongly, never because one is slow.");
  CLI11_PARSE(app, argc, argv);
  if (options.quick) options.keys = 1'000'000;
  if (options.smoke) {
    options.keys = 10'000;
    options.lookups = 1000;
  }
  options.lookups = std::min(options.lookups, options.keys / kRounds);
  std::string dir = options.dir;
  const bool is_temporary = dir.empty();
  if (is_temporary) {
    dir = (std::filesystem::temp_directory_path() / "bench_piles.XXXXXX")
              .string();
    if (mkdtemp(dir.data()) == nullptr) Fail("no temporary directory");
  }
  fmt::print("{}\n{} keys; nanoseconds per key, the best of {} rounds\n\n",
             MachineText(ThisMachine()), options.keys, kRounds);
  Run(options).Go(dir);
  if (is_temporary) {
    std::error_code ignored;
    std::filesystem::remove_all(dir, ignored);
  }
  return 0;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) { return tamis::bench::Main(argc, argv); }
