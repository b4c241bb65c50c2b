// SPDX-License-Identifier: Apache-2.0
// bench_scans.cc -- what short scans cost that find nothing, with and without
// range filters, against other stores; and what the filters cost otherwise.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/clocks.h"
#include "bench/machine.h"
#include "bench/store_engine.h"
#include "bench/store_keys.h"
#include "bench/text_table.h"
#include "tamis/store.h"

namespace tamis::bench {
namespace {

constexpr std::uint64_t kSeed = 29;
constexpr int kRounds = 5;
constexpr std::uint64_t kMeanGap = 1'000'000;
constexpr std::uint64_t kPile = 100;  // tables
constexpr unsigned kBits = 8;         // more per key
constexpr std::uint64_t kLongScan = 100;

struct Options {
  std::uint64_t keys = 1'000'000;
  std::uint64_t scans = 100'000;
  std::string dir;
  bool smoke = false;
};

[[noreturn]] void Fail(const std::string& what) {
  fmt::print(stderr, "bench_scans: {}\n", what);
  std::exit(1);
}

void Must(const Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

// The keys of the stores and the ranges of the scans.  Gaps are random, so that
// nothing but the places of the keys rules a range out.
struct Work {
  StoreKeys keys;    // in the order of insertion
  StoreKeys from;    // in gaps
  StoreKeys to;      // in the same gap, up to a quarter of the mean gap later
  StoreKeys starts;  // keys that are there
};

Work MakeWork(const Options& options) {
  std::mt19937_64 random(kSeed);
  std::vector<std::uint64_t> sorted(options.keys);
  std::uint64_t at = 0;
  for (std::uint64_t& number : sorted) {
    number = at += 2 + random() % (2 * kMeanGap);
  }
  std::vector<std::uint64_t> from;
  std::vector<std::uint64_t> to;
  std::vector<std::uint64_t> starts;
  while (from.size() < options.scans) {
    // Long gaps are more often hit, as by keys that are drawn at random.
    const std::uint64_t start = random() % sorted.back();
    const auto next = std::lower_bound(sorted.begin(), sorted.end(), start);
    const std::uint64_t length = 1 + random() % (kMeanGap / 4);
    if (start + length > *next) continue;
    from.push_back(start);
    to.push_back(start + length);
    starts.push_back(sorted[random() % sorted.size()]);
  }
  std::shuffle(sorted.begin(), sorted.end(), random);
  return {.keys = StoreKeys::Of(sorted),
          .from = StoreKeys::Of(from),
          .to = StoreKeys::Of(to),
          .starts = StoreKeys::Of(starts)};
}

// Nanoseconds per scan, the best of some rounds.
template <typename Scan>
double TimeOf(const Work& work, std::uint64_t expected, const Scan& scan) {
  double best = std::numeric_limits<double>::max();
  for (int round = 0; round < kRounds; ++round) {
    std::uint64_t seen = 0;
    const double spent = Timed([&] {
      for (std::size_t i = 0; i < work.from.size(); ++i) seen += scan(i);
    });
    if (seen > expected || seen < expected * 9 / 10) Fail("a wrong answer");
    best = std::min(best, spent / static_cast<double>(work.from.size()));
  }
  return best;
}

// ---- ours

struct OurTimes {
  double fill = 0;  // per key, settling included
  double empty = 0;
  double results = 0;    // a scan of kLongScan entries
  double unbounded = 0;  // the same, without an upper bound
  double ruled_out = 0;  // the part of the tables that were asked
  double bits = 0;       // per key, of range filters
};

std::unique_ptr<Store> OpenOurs(const std::string& dir, unsigned bits,
                                bool is_pile) {
  StoreOptions options;
  options.create_if_missing = true;
  options.compression = Compression::kNone;
  options.leveldb_filter_bits = 0;
  options.write_buffer_bytes = kStoreWriteBuffer;
  options.range_filter_bits = bits;
  options.filter_loading = FilterLoading::kAtOpening;
  if (is_pile) {
    options.automatic_compaction = false;
    options.level0_slow_at = 1'000'000;
    options.level0_stop_at = 1'000'000;
  }
  auto store = Store::Open(dir, options);
  Must(store.status());
  return *std::move(store);
}

std::uint64_t Count(Iterator* it, std::uint64_t most) {
  std::uint64_t seen = 0;
  for (; it->Valid() && seen < most; it->Next()) ++seen;
  Must(it->status());
  return seen;
}

OurTimes MeasureOurs(const std::string& dir, const Work& work, unsigned bits,
                     std::uint64_t tables) {
  const bool is_pile = tables > 1;
  const auto store = OpenOurs(dir, bits, is_pile);
  OurTimes times;
  times.fill = Timed([&] {
    for (std::size_t i = 0; i < work.keys.size(); ++i) {
      Must(store->Put({}, work.keys[i], ValueOf(work.keys[i])));
      const bool ends_table = is_pile && (i + 1) * tables / work.keys.size() !=
                                             i * tables / work.keys.size();
      if (ends_table) Must(store->Flush());
    }
    Must(store->Flush());
    Must(store->WaitForQuiet());
  });
  times.fill /= static_cast<double>(work.keys.size());
  if (!is_pile) Must(store->Compact());
  {
    const auto all = store->NewIterator();  // fills caches
    all->SeekToFirst();
    (void)Count(all.get(), std::numeric_limits<std::uint64_t>::max());
  }
  const StoreStats before = store->Stats();
  times.empty = TimeOf(work, 0, [&](std::size_t i) {
    const auto it = store->NewIterator(
        {.lower_bound = work.from[i], .upper_bound = work.to[i]});
    it->SeekToFirst();
    return Count(it.get(), 1);
  });
  const StoreStats after = store->Stats();
  std::uint64_t asked = 0;
  std::uint64_t absent = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < after.levels.size(); ++i) {
    asked += after.levels[i].range_filter_probes -
             before.levels[i].range_filter_probes;
    absent += after.levels[i].range_filter_absent -
              before.levels[i].range_filter_absent;
    bytes += after.levels[i].range_filter_bytes;
  }
  times.ruled_out =
      asked == 0 ? 0 : static_cast<double>(absent) / static_cast<double>(asked);
  times.bits =
      8 * static_cast<double>(bytes) / static_cast<double>(work.keys.size());
  const std::uint64_t expected = work.starts.size() * kLongScan;
  const std::string end = "9";
  times.results = TimeOf(work, expected, [&](std::size_t i) {
    const auto it = store->NewIterator({.upper_bound = end});
    it->Seek(work.starts[i]);
    return Count(it.get(), kLongScan);
  });
  times.unbounded = TimeOf(work, expected, [&](std::size_t i) {
    const auto it = store->NewIterator();
    it->Seek(work.starts[i]);
    return Count(it.get(), kLongScan);
  });
  return times;
}

// ---- others

double MeasureEngine(const StoreEngineKind& kind, const std::string& dir,
                     const Work& work) {
  EngineSettings settings;
  settings.cache_bytes = std::uint64_t{1} << 30;
  const std::unique_ptr<StoreEngine> engine = kind.make(settings);
  if (engine == nullptr) return 0;
  std::filesystem::create_directory(dir);
  Must(engine->Open(dir, StoreShape::kUsual));
  Must(engine->Put({&work.keys, 0, work.keys.size()}));
  Must(engine->Settle().status());
  Must(engine->Scan({}).status());  // fills caches
  const double time = TimeOf(work, 0, [&](std::size_t i) {
    const auto seen =
        engine->Scan({.start = work.from[i], .limit = work.to[i]});
    Must(seen.status());
    return seen->values;
  });
  engine->Close();
  return time;
}

// ---- the report

class Report {
 public:
  Report() { rows_.push_back({"goal", "measured", "required", ""}); }

  void Goal(const std::string& what, double measured, double at_most) {
    rows_.push_back({what, fmt::format("{:.3f}", measured),
                     fmt::format("<= {:.2f}", at_most),
                     measured <= at_most ? "holds" : "misses"});
  }
  void Print() const { fmt::print("\n{}", Aligned(rows_)); }

 private:
  std::vector<Cells> rows_;
};

Cells RowOf(const std::string& what, const OurTimes& times) {
  const auto ns = [](double time) { return fmt::format("{:.0f}", time); };
  return {what,
          ns(times.empty),
          fmt::format("{:.1f} %", 100 * times.ruled_out),
          ns(times.results),
          ns(times.unbounded),
          ns(times.fill),
          fmt::format("{:.2f}", times.bits)};
}

void Go(const Options& options, const std::string& dir) {
  const Work work = MakeWork(options);
  std::vector<Cells> rows = {{"Tamis", "empty scan", "ruled out", "100 entries",
                              "without bounds", "fill, per key",
                              "bits per key"}};
  const auto ours = [&](const std::string& what, unsigned bits,
                        std::uint64_t tables) {
    fmt::print(stderr, "{}\n", what);
    const std::string place = dir + "/ours";
    const OurTimes times = MeasureOurs(place, work, bits, tables);
    std::filesystem::remove_all(place);
    rows.push_back(RowOf(what, times));
    return times;
  };
  const OurTimes plain = ours("settled", 0, 1);
  const OurTimes filtered = ours("settled, with range filters", kBits, 1);
  const OurTimes pile = ours("100 overlapping tables", 0, kPile);
  const OurTimes filtered_pile =
      ours("the same, with range filters", kBits, kPile);
  std::vector<Cells> others = {{"others, settled", "empty scan"}};
  double best_tree = std::numeric_limits<double>::max();
  double lmdb = 0;
  for (std::size_t i = 1; i < kStoreEngineCount; ++i) {
    const std::string place = dir + "/theirs";
    fmt::print(stderr, "{}\n", kStoreEngines[i].name);
    const double time = MeasureEngine(kStoreEngines[i], place, work);
    std::filesystem::remove_all(place);
    if (time == 0) continue;
    others.push_back(
        {std::string(kStoreEngines[i].name), fmt::format("{:.0f}", time)});
    if (kStoreEngines[i].is_lsm_tree) best_tree = std::min(best_tree, time);
    if (i == kLmdb) lmdb = time;
  }
  fmt::print("{}\n{}", Aligned(rows), Aligned(others));
  Report report;
  if (lmdb > 0)
    report.Goal("empty scan, over LMDB", filtered.empty / lmdb, 0.3);
  report.Goal("empty scan, over the better of LevelDB and RocksDB",
              filtered.empty / best_tree, 0.15);
  report.Goal("empty scan in 100 tables, in us", filtered_pile.empty / 1000, 8);
  report.Goal("100 entries, over those without filters",
              filtered.results / plain.results, 1.05);
  report.Goal("the same, without bounds", filtered.unbounded / plain.unbounded,
              1.05);
  report.Goal("the same, in 100 tables",
              filtered_pile.unbounded / pile.unbounded, 1.05);
  report.Goal("fill, over that without filters", filtered.fill / plain.fill,
              1.1);
  report.Print();
}

int Main(int argc, char** argv) {
  CLI::App app("Short scans that find nothing");
  Options options;
  app.add_option("--keys", options.keys, "Keys of each store")
      ->check(CLI::Range(std::uint64_t{10'000}, std::uint64_t{1} << 32))
      ->capture_default_str();
  app.add_option("--scans", options.scans, "Scans of a round")
      ->check(CLI::Range(std::uint64_t{100}, std::uint64_t{1} << 32))
      ->capture_default_str();
  app.add_option("--dir", options.dir,
                 "Where the stores go (default: a fresh directory under the "
                 "system's temporary directory)");
  app.add_flag("--smoke", options.smoke,
               "A tiny run that only shows that everything works");
  app.footer(
      "Needs about 150 bytes of disk and of memory per key.  Ends with 1 if a\n"
      "store answers wrongly, never because one is slow.");
  CLI11_PARSE(app, argc, argv);
  if (options.smoke) {
    options.keys = 10'000;
    options.scans = 500;
  }
  std::string dir = options.dir;
  const bool is_temporary = dir.empty();
  if (is_temporary) {
    dir = (std::filesystem::temp_directory_path() / "bench_scans.XXXXXX")
              .string();
    if (mkdtemp(dir.data()) == nullptr) Fail("no temporary directory");
  }
  fmt::print("{}\n{} keys; nanoseconds, the best of {} rounds\n\n",
             MachineText(ThisMachine()), options.keys, kRounds);
  Go(options, dir);
  if (is_temporary) {
    std::error_code ignored;
    std::filesystem::remove_all(dir, ignored);
  }
  return 0;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) { return tamis::bench::Main(argc, argv); }
