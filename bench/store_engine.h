// SPDX-License-Identifier: Apache-2.0
// bench/store_engine.h -- one key-value store, as the benchmark drives it.

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/store_keys.h"
#include "tamis/result.h"

namespace tamis::bench {

inline constexpr std::size_t kStoreBitsPerKey = 10;
inline constexpr std::size_t kStoreWriteBuffer = std::size_t{64} << 20;

enum class StoreShape {
  kUsual,
  kOverlapping,  // no compaction, no slowing down
};

// Where RocksDB reads its tables from.
enum class RocksDbReads {
  kMapped,  // a mapping, without a block cache
  kCached,  // by pread() into the block cache; the page cache keeps a copy
  kDirect,  // past the page cache, into the block cache
};

struct EngineSettings {
  bool snappy = false;
  // Most data is not in memory: an engine that can be told so is told so.
  bool cold = false;
  RocksDbReads rocksdb_reads = RocksDbReads::kMapped;
  std::uint64_t cache_bytes = 0;  // room for everything that can be cached
  double quiet_seconds = 1;  // unchanged for so long, LevelDB counts as quiet
};

// Some of a list of keys.
struct KeySpan {
  const StoreKeys* keys = nullptr;
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

// Entries in ascending order of keys.
struct ScanRange {
  static constexpr std::uint64_t kAll =
      std::numeric_limits<std::uint64_t>::max();

  Slice start;                // from the first entry at or after it
  Slice limit = {};           // before it; empty: to the end of the store
  std::uint64_t most = kAll;  // at most so many

  bool EndsBefore(Slice key) const { return !limit.empty() && key >= limit; }
};

struct Settled {
  // The last part of the wait, in which nothing happened any more.
  double idle_nanoseconds = 0;
  // Of a tree of sorted runs: each table of level 0, and every other level that
  // has tables.  A lookup of a missing key asks each once.  0: it is none.
  unsigned sorted_runs = 0;
  // The bytes of the filter of each run, in memory; empty: not known.
  std::vector<std::uint64_t> filter_bytes = {};
};

// The methods that take keys go through them in a loop of their own, so that
// no virtual call is measured with each.
class StoreEngine {
 public:
  virtual ~StoreEngine() = default;

  // Creates what is missing.  NotSupported: it cannot have that shape.
  virtual Status Open(const std::string& dir, StoreShape shape) = 0;
  // REQUIRES, for all that follows: it is open
  virtual void Close() = 0;

  virtual Status Put(const KeySpan& keys) = 0;
  // Turns what is in memory into a table, and waits for it.
  virtual Status Flush() = 0;
  // Waits until no background work is left.
  virtual Result<Settled> Settle() = 0;

  // These may be called from several threads at once.
  virtual Result<Seen> Get(const KeySpan& keys) = 0;
  virtual Result<Seen> MultiGet(const KeySpan& keys,
                                std::size_t keys_per_call) = 0;

  // Reads the entries of the range with a new iterator.
  virtual Result<Seen> Scan(const ScanRange& range) = 0;
};

using MakeStoreEngine = std::unique_ptr<StoreEngine> (*)(const EngineSettings&);

std::unique_ptr<StoreEngine> NewTamisEngine(const EngineSettings& settings);
std::unique_ptr<StoreEngine> NewLevelDbEngine(const EngineSettings& settings);
// Null: this build has no RocksDB.
std::unique_ptr<StoreEngine> NewRocksDbEngine(const EngineSettings& settings);
// Null: this build has no LMDB, or blocks are to be compressed, which it does
// not do.
std::unique_ptr<StoreEngine> NewLmdbEngine(const EngineSettings& settings);

struct StoreEngineKind {
  std::string_view name;
  MakeStoreEngine make;
  // It has a memtable and sorted tables, as ours has.
  bool is_lsm_tree = true;
};
inline constexpr StoreEngineKind kStoreEngines[] = {
    {"Tamis", NewTamisEngine},
    {"LevelDB", NewLevelDbEngine},
    {"RocksDB", NewRocksDbEngine},
    {"LMDB", NewLmdbEngine, /*is_lsm_tree=*/false},
};
inline constexpr std::size_t kStoreEngineCount = std::size(kStoreEngines);
// Their places among them.
inline constexpr std::size_t kLevelDb = 1;
inline constexpr std::size_t kLmdb = 3;
static_assert(kStoreEngines[kLevelDb].name == "LevelDB");
static_assert(kStoreEngines[kLmdb].name == "LMDB");

// All files below `dir`, by their lengths.
std::uint64_t BytesOnDisk(const std::string& dir);

}  // namespace tamis::bench
