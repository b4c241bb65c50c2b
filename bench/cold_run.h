// SPDX-License-Identifier: Apache-2.0
// bench/cold_run.h -- all stores through all cold phases.

#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cold_phases.h"
#include "bench/machine.h"
#include "bench/store_run.h"
#include "tamis/result.h"

namespace tamis::bench {

// One way to read one engine's store.
struct ColdStore {
  std::string_view name;
  std::size_t engine;  // its place in kStoreEngines
  RocksDbReads rocksdb_reads = RocksDbReads::kMapped;
};
inline constexpr ColdStore kColdStores[] = {
    {"Tamis", 0},
    {"LevelDB", 1},
    {"RocksDB mapped", 2},
    {"RocksDB pread", 2, RocksDbReads::kCached},
    {"RocksDB direct", 2, RocksDbReads::kDirect},
    {"LMDB", kLmdb},
};
inline constexpr std::size_t kColdStoreCount = std::size(kColdStores);
inline constexpr std::size_t kColdLmdb = 5;  // its place among them
static_assert(kColdStores[kColdLmdb].engine == kLmdb);

struct ColdRun {
  ColdPlan plan;
  unsigned rounds = 0;
  Machine machine;
  std::string disk;                              // empty: not known
  std::optional<std::uint64_t> disk_read_ahead;  // KiB
  double seconds = 0;
  std::array<Samples, kColdStoreCount> stores;  // as kColdStores
};

// How the processes are started: with which arguments this program fills the
// store of an engine, and with which it serves one cold phase of a store.
struct ColdArguments {
  std::function<std::vector<std::string>(std::string_view engine)> fill;
  std::function<std::vector<std::string>(const ColdStore& store)> read;
  // The directory of an engine's store, once it is filled.
  std::function<std::string(std::string_view engine)> dir;
};

// Fills a store per engine, in random order, and reads from each until that
// changes nothing any more.  Then runs every phase, round by round, on all of
// them in turn, each time in a new process and with the page cache dropped.
// NotSupported: caches cannot be dropped here, or reads not be counted.
Result<ColdRun> MeasureCold(const ColdPlan& plan, unsigned rounds,
                            const ColdArguments& arguments,
                            const StoreProgress& progress);

}  // namespace tamis::bench
