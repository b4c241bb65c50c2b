// SPDX-License-Identifier: Apache-2.0
// bench_filter_files: what filters beside the tables of a LevelDB database give
// to lookups of missing keys, and what they take to make, against a full
// compaction.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include "bench/clocks.h"
#include "bench/machine.h"
#include "bench/store_keys.h"
#include "bench/text_table.h"
#include "tamis/filter_files.h"
#include "tamis/store.h"

namespace tamis::bench {
namespace {

constexpr std::uint64_t kSeed = 23;

struct Options {
  std::uint64_t entries = 10'000'000;
  std::uint64_t lookups = 1'000'000;
  int leveldb_bits = 10;
  std::string dir;
  bool smoke = false;
};

[[noreturn]] void Fail(const std::string& what) {
  fmt::print(stderr, "bench_filter_files: {}\n", what);
  std::exit(1);
}

void Must(const Status& status) {
  if (!status.ok()) Fail(status.ToString());
}
void Must(const leveldb::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

StoreKeys Draw(const Options& options, KeyKind kind, std::uint64_t first,
               std::uint64_t count) {
  return StoreKeys::Shuffled({.universe = options.entries,
                              .kind = kind,
                              .seed = kSeed,
                              .first = first,
                              .count = count});
}

// All keys, in an order that looks random, as LevelDB leaves them.
void WriteDatabase(const std::string& dir, const Options& options) {
  leveldb::Options theirs;
  theirs.create_if_missing = true;
  const std::unique_ptr<const leveldb::FilterPolicy> filter(
      options.leveldb_bits > 0
          ? leveldb::NewBloomFilterPolicy(options.leveldb_bits)
          : nullptr);
  theirs.filter_policy = filter.get();
  leveldb::DB* opened = nullptr;
  Must(leveldb::DB::Open(theirs, dir, &opened));
  const std::unique_ptr<leveldb::DB> db(opened);
  constexpr std::uint64_t kAtOnce = 1000;
  for (std::uint64_t done = 0; done < options.entries; done += kAtOnce) {
    const StoreKeys keys = Draw(options, KeyKind::kPresent, done,
                                std::min(kAtOnce, options.entries - done));
    leveldb::WriteBatch batch;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Slice value = ValueOf(keys[i]);
      batch.Put({keys[i].data(), keys[i].size()}, {value.data(), value.size()});
    }
    Must(db->Write({}, &batch));
  }
  // Closing it would leave a memtable that is being flushed in its log; this
  // flushes it, and compacts nothing, because no keys are there.
  const leveldb::Slice after_all("\xff");
  db->CompactRange(&after_all, &after_all);
}

// Nanoseconds per lookup of a missing key, all filters loaded.
double MeasureMisses(const std::string& dir, const Options& options) {
  StoreOptions reading;
  reading.read_only = true;
  reading.filter_loading = FilterLoading::kAtOpening;
  auto store = Store::Open(dir, reading);
  Must(store.status());
  const std::uint64_t count = std::min(options.lookups, options.entries);
  const StoreKeys present = Draw(options, KeyKind::kPresent, 0, count / 10);
  for (std::size_t i = 0; i < present.size(); ++i) {
    if (!store->Get(present[i]).ok()) Fail("a key is hidden");
  }
  const StoreKeys missing = Draw(options, KeyKind::kMissing, 0, count);
  std::string value;
  double best = 0;
  // The first round brings the tables into memory.
  for (int round = 0; round < 3; ++round) {
    const double start = WallNanoseconds();
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (store->Get({}, missing[i], &value).ok()) Fail("a key came from air");
    }
    const double spent = WallNanoseconds() - start;
    best = round == 0 ? spent : std::min(best, spent);
  }
  return best / static_cast<double>(missing.size());
}

// The sum of the files whose names end so.
std::uint64_t BytesOf(const std::string& dir, std::string_view ending) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    if (entry.path().string().ends_with(ending)) bytes += entry.file_size();
  }
  return bytes;
}

double SecondsOf(double since) { return (WallNanoseconds() - since) / 1e9; }

double MakeFilters(const std::string& dir) {
  const double start = WallNanoseconds();
  const auto made = MakeFilterFiles(dir);
  Must(made.status());
  if (made->failed > 0) Fail("a filter could not be made");
  if (made->made == 0) Fail("no filter was made");
  return SecondsOf(start);
}

double CompactAll(const std::string& dir) {
  auto store = Store::Open(dir);
  Must(store.status());
  const double start = WallNanoseconds();
  Must(store->CompactWith({.rewrite_what_differs = true}).status());
  return SecondsOf(start);
}

void Run(const std::string& dir, const Options& options) {
  std::vector<Cells> rows = {
      {"", "ns per missing key", "seconds", "MiB written"}};
  const auto mib = [](std::uint64_t bytes) {
    return fmt::format("{:.1f}", static_cast<double>(bytes) / (1 << 20));
  };
  const auto row = [&](const char* name, const std::string& seconds,
                       const std::string& written) {
    rows.push_back({name, fmt::format("{:.0f}", MeasureMisses(dir, options)),
                    seconds, written});
  };
  WriteDatabase(dir, options);
  row("as LevelDB wrote it", "", "");
  const double filters = MakeFilters(dir);
  row("filters beside tables", fmt::format("{:.2f}", filters),
      mib(BytesOf(dir, ".filter")));
  const double compaction = CompactAll(dir);
  row("full compaction", fmt::format("{:.2f}", compaction),
      mib(BytesOf(dir, ".ldb")));
  fmt::print("{}", Aligned(rows));
}

int Main(int argc, char** argv) {
  CLI::App app("Filters beside the tables of a LevelDB database");
  Options options;
  app.add_option("--entries", options.entries, "Keys of the database")
      ->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{1} << 32))
      ->capture_default_str();
  app.add_option("--lookups", options.lookups, "Missing keys that are asked")
      ->capture_default_str();
  app.add_option("--leveldb-bits", options.leveldb_bits,
                 "Bits per key of LevelDB's own filter; 0: none")
      ->capture_default_str();
  app.add_option("--dir", options.dir,
                 "Where the database goes (default: a fresh directory under "
                 "the system's temporary directory)");
  app.add_flag("--smoke", options.smoke,
               "A tiny run that only shows that everything works");
  CLI11_PARSE(app, argc, argv);
  if (options.smoke) options.entries = options.lookups = 50'000;
  std::string dir = options.dir;
  const bool is_temporary = dir.empty();
  if (is_temporary) {
    dir = (std::filesystem::temp_directory_path() / "bench_files.XXXXXX")
              .string();
    if (mkdtemp(dir.data()) == nullptr) Fail("no temporary directory");
  }
  fmt::print("{}\n{} entries, LevelDB's filters of {} bits per key\n\n",
             MachineText(ThisMachine()), options.entries, options.leveldb_bits);
  Run(dir + "/db", options);
  std::error_code ignored;
  if (is_temporary) std::filesystem::remove_all(dir, ignored);
  return 0;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) { return tamis::bench::Main(argc, argv); }
