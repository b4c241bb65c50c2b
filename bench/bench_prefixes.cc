// SPDX-License-Identifier: Apache-2.0
// bench_prefixes: scans of one prefix in a settled store, with prefixes in the
// filters of its tables and without: those that find nothing, and those that
// find all items of a user.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/clocks.h"
#include "bench/machine.h"
#include "bench/text_table.h"
#include "tamis/store.h"

namespace tamis::bench {
namespace {

constexpr std::uint64_t kSeed = 23;
constexpr int kItems = 5;
constexpr const char* kExtractor = "delimiter=:,count=2";

struct Options {
  std::uint64_t users = 1'000'000;
  std::uint64_t scans = 200'000;
  std::string dir;
  bool smoke = false;
};

[[noreturn]] void Fail(const std::string& what) {
  fmt::print(stderr, "bench_prefixes: {}\n", what);
  std::exit(1);
}

void Must(const Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

// Scattered over all numbers, so that gaps have no pattern.
std::string PrefixOfUser(std::uint64_t user) {
  return fmt::format("user:{:016}:",
                     user * 0x9e3779b97f4a7c15u % 10'000'000'000'000'000u);
}

std::unique_ptr<Store> Open(const std::string& dir, bool has_prefixes) {
  StoreOptions options;
  options.create_if_missing = true;
  options.filter_loading = FilterLoading::kAtOpening;
  if (has_prefixes) options.prefix_extractor = kExtractor;
  auto store = Store::Open(dir, options);
  Must(store.status());
  return *std::move(store);
}

// The users of even numbers.
void Fill(const std::string& dir, bool has_prefixes, std::uint64_t users) {
  const std::unique_ptr<Store> store = Open(dir, has_prefixes);
  const std::string value(100, 'v');
  for (std::uint64_t user = 0; user < users; user += 2) {
    WriteBatch batch;
    for (int item = 0; item < kItems; ++item) {
      batch.Put(fmt::format("{}item:{}", PrefixOfUser(user), item), value);
    }
    Must(store->Write({}, batch));
  }
  Must(store->Compact());
  Must(store->WaitForQuiet());
}

// Nanoseconds per scan, from making the iterator to freeing it.
double Measure(Store* store, const std::vector<std::string>& prefixes,
               int expected) {
  double best = 0;
  // The first round brings everything into memory.
  for (int round = 0; round < 4; ++round) {
    const double start = WallNanoseconds();
    for (const std::string& prefix : prefixes) {
      const auto it = store->NewIterator({.prefix = prefix});
      int found = 0;
      for (it->SeekToFirst(); it->Valid(); it->Next()) ++found;
      if (found != expected) Fail("a scan found something else");
    }
    const double spent = WallNanoseconds() - start;
    if (round > 0) best = round == 1 ? spent : std::min(best, spent);
  }
  return best / static_cast<double>(prefixes.size());
}

double MeasureLookups(Store* store, const std::vector<std::string>& keys) {
  std::string value;
  double best = 0;
  for (int round = 0; round < 4; ++round) {
    const double start = WallNanoseconds();
    for (const std::string& key : keys) {
      if (store->Get({}, key, &value).ok()) Fail("a key came from air");
    }
    const double spent = WallNanoseconds() - start;
    if (round > 0) best = round == 1 ? spent : std::min(best, spent);
  }
  return best / static_cast<double>(keys.size());
}

void Run(const std::string& dir, const Options& options) {
  std::mt19937_64 random(kSeed);
  std::vector<std::string> present;
  std::vector<std::string> absent;
  for (std::uint64_t i = 0; i < options.scans; ++i) {
    const std::uint64_t user = random() % options.users / 2 * 2;
    present.push_back(PrefixOfUser(user));
    absent.push_back(PrefixOfUser(user + 1));
  }
  std::vector<Cells> rows = {
      {"ns per", "empty scan", "scan of 5", "missing key"}};
  for (const bool has_prefixes : {false, true}) {
    const std::string place = dir + (has_prefixes ? "/with" : "/without");
    Fill(place, has_prefixes, options.users);
    const std::unique_ptr<Store> store = Open(place, has_prefixes);
    rows.push_back(
        {has_prefixes ? kExtractor : "no prefixes",
         fmt::format("{:.0f}", Measure(store.get(), absent, 0)),
         fmt::format("{:.0f}", Measure(store.get(), present, kItems)),
         fmt::format("{:.0f}", MeasureLookups(store.get(), absent))});
  }
  fmt::print("{}", Aligned(rows));
}

int Main(int argc, char** argv) {
  CLI::App app("Scans of one prefix in a settled store");
  Options options;
  app.add_option("--users", options.users, "Half of them have 5 keys each")
      ->check(CLI::Range(std::uint64_t{100}, std::uint64_t{1} << 30))
      ->capture_default_str();
  app.add_option("--scans", options.scans, "Scans of each kind")
      ->capture_default_str();
  app.add_option("--dir", options.dir,
                 "Where the stores go (default: a fresh directory under the "
                 "system's temporary directory)");
  app.add_flag("--smoke", options.smoke,
               "A tiny run that only shows that everything works");
  CLI11_PARSE(app, argc, argv);
  if (options.smoke) options.users = options.scans = 2000;
  std::string dir = options.dir;
  const bool is_temporary = dir.empty();
  if (is_temporary) {
    dir = (std::filesystem::temp_directory_path() / "bench_prefixes.XXXXXX")
              .string();
    if (mkdtemp(dir.data()) == nullptr) Fail("no temporary directory");
  }
  fmt::print("{}\n{} users, {} keys\n\n", MachineText(ThisMachine()),
             options.users, options.users / 2 * kItems);
  Run(dir, options);
  std::error_code ignored;
  if (is_temporary) std::filesystem::remove_all(dir, ignored);
  return 0;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) { return tamis::bench::Main(argc, argv); }
