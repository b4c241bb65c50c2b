// SPDX-License-Identifier: Apache-2.0
// bench/store_engine.h -- one key-value store, as the benchmark drives it.

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "bench/store_keys.h"
#include "tamis/result.h"

namespace tamis::bench {

inline constexpr std::size_t kStoreBitsPerKey = 10;
inline constexpr std::size_t kStoreWriteBuffer = std::size_t{64} << 20;

enum class StoreShape {
  kUsual,
  kOverlapping,  // no compaction, no slowing down
};

struct EngineSettings {
  bool snappy = false;
  bool rocksdb_caches = false;    // RocksDB caches blocks, and maps nothing
  std::uint64_t cache_bytes = 0;  // enough for everything that can be cached
  double quiet_seconds = 1;  // unchanged for so long, LevelDB counts as quiet
};

// Some of a list of keys.
struct KeySpan {
  const StoreKeys* keys = nullptr;
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

struct Settled {
  // The last part of the wait, in which nothing happened any more.
  double idle_nanoseconds = 0;
  // Written since opening, but by no system call that /proc would count.
  std::uint64_t mapped_log_bytes = 0;
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

  static constexpr std::uint64_t kAll =
      std::numeric_limits<std::uint64_t>::max();
  // A new iterator, from the first entry at or after `start`.
  virtual Result<Seen> Scan(Slice start, std::uint64_t most) = 0;
};

using MakeStoreEngine = std::unique_ptr<StoreEngine> (*)(const EngineSettings&);

std::unique_ptr<StoreEngine> NewTamisEngine(const EngineSettings& settings);
std::unique_ptr<StoreEngine> NewLevelDbEngine(const EngineSettings& settings);
// Null: this build has no RocksDB.
std::unique_ptr<StoreEngine> NewRocksDbEngine(const EngineSettings& settings);

struct StoreEngineKind {
  std::string_view name;
  MakeStoreEngine make;
};
inline constexpr StoreEngineKind kStoreEngines[] = {
    {"Tamis", NewTamisEngine},
    {"LevelDB", NewLevelDbEngine},
    {"RocksDB", NewRocksDbEngine},
};
inline constexpr std::size_t kStoreEngineCount = std::size(kStoreEngines);

// All files below `dir`, by their lengths.
std::uint64_t BytesOnDisk(const std::string& dir);

}  // namespace tamis::bench
