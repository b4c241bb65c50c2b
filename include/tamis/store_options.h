// SPDX-License-Identifier: Apache-2.0
// tamis/store_options.h -- how a store is opened, read and written.  The
// defaults are right for most people.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tamis/comparator.h"
#include "tamis/env.h"
#include "tamis/export.h"
#include "tamis/filter.h"

namespace tamis {

// How blocks are compressed; the numbers are stored behind each block.
enum class Compression : std::uint8_t {
  kNone = 0,    // not at all
  kSnappy = 1,  // as LevelDB does by default
  kZstd = 2,    // LevelDB reads it in its newest sources only, not in 1.23
};

// What reads do with the filters of tables.  The answers are the same.
enum class FilterUse {
  kOn,           // they are asked, and what they rule out is not read
  kOff,          // none is loaded or asked
  kAlwaysMaybe,  // they are asked and counted, and then the table is read all
                 // the same: shows what they would have saved
};

// When the filter of a table is read into memory.
enum class FilterLoading {
  kWhenFirstAsked,  // by the first lookup that needs it
  kAtOpening,       // with the table: no lookup waits for it
};

// Room for the largest value that a store takes, and more.
inline constexpr std::uint64_t kDefaultMaxBlockBytes = std::uint64_t{3} << 30;
inline constexpr std::uint64_t kDefaultMaxBlockGrowth = 64;

// By which seed the filters of new tables are hashed, where `filter` names
// none and its kind takes one.  Tables of any seed are read.
enum class FilterSeed {
  // One that the store drew when it was created or first opened so, and
  // remembers: who does not know it cannot choose keys that collide, nor keys
  // that a filter lets through.
  kRandomPerStore,
  kFixed,  // 0: the same keys give the same bytes, in every store
};

// How a store is opened; see Store::Open().
struct StoreOptions {
  // ---- What affects behaviour ----

  // A missing directory is an error unless this is set.
  bool create_if_missing = false;
  bool error_if_exists = false;
  // Nothing is written, not even a lock or a log: needs no write access.  Sees
  // the store as it was at opening.
  bool read_only = false;
  // A last record that a crash has cut off is no damage and never stops
  // opening.  Other damage in a log does, unless this is set: then what is
  // damaged is passed over, as LevelDB does.
  bool skip_damaged_log_records = false;

  // A page that cannot be read is an IoError that names the file: always in
  // logs and manifests, filters and indexes of tables, and in a data block the
  // first time it is read (each time, with verify_checksums).  After that a
  // mapped table may raise SIGBUS, if the system has dropped a page and cannot
  // read it anew or if somebody has cut the file; and so may writing, if
  // somebody has cut the log.  True: these are errors, too, for this calls
  // GuardMappings() (tamis/env.h), which installs a handler of that signal in
  // the whole process.  False, with map_tables = false: reading raises nothing.
  bool guard_mappings = false;

  // Must be that of the store.  REQUIRES: outlives the store
  const Comparator* comparator = &BytewiseComparator();
  // Null: DefaultEnv().  REQUIRES: outlives the store
  Env* env = nullptr;

  // A compressed block is unpacked to so many bytes at most, and, beyond
  // 32 MiB, to so many times its stored size at most: what claims more, or
  // turns out to be more, is refused (ResourceExhausted) before the memory is
  // taken.  For tables of others that hold larger values, raise them; what this
  // library writes stays within the defaults, and within these.
  std::uint64_t max_block_bytes = kDefaultMaxBlockBytes;
  std::uint64_t max_block_growth = kDefaultMaxBlockGrowth;

  // The filter that new tables get, as MakePolicy() takes it, though not of a
  // fixed size (m=); "" for none.  Filters that are there are read whatever
  // their kind.  Opening tries it on a few keys: InvalidArgument.  A table
  // whose filter cannot be built for its own keys does without, see
  // StoreStats::filters_not_built.
  std::string filter = "bloom:10";
  // In its place, a policy of your own.
  std::shared_ptr<const FilterPolicy> filter_policy = nullptr;
  FilterSeed filter_seed = FilterSeed::kRandomPerStore;
  // New tables also get the filter that LevelDB itself honours, with so many
  // bits per key: it then stays fast on them.  0: none.
  unsigned leveldb_filter_bits = 10;
  FilterUse filter_use = FilterUse::kOn;
  // The store remembers what this opening says of its tables, for those who
  // ask (tamis/store_settings.h).  One that is created does so anyway.
  bool remember_settings = false;

  // ---- What affects performance only ----

  // Writes gather in memory up to this before they become a table.
  std::size_t write_buffer_bytes = std::size_t{32} << 20;
  // Tables are cut at this size.
  std::uint64_t table_bytes = std::uint64_t{64} << 20;
  // Data blocks are closed at this size; the smallest unit that is read.
  std::size_t block_bytes = 4096;
  // Keys between two that are stored whole.
  unsigned restart_interval = 16;
  Compression compression = Compression::kSnappy;
  int zstd_level = 1;

  // Decompressed blocks are kept in memory up to this.  Filters and indexes do
  // not count, and uncompressed tables are mapped, not cached.
  std::size_t block_cache_bytes = std::size_t{32} << 20;
  // False: tables are read, not mapped (see guard_mappings).
  bool map_tables = true;
  FilterLoading filter_loading = FilterLoading::kWhenFirstAsked;

  // Threads for compaction, beside one for flushing.
  unsigned compaction_threads = 2;
  // False: compaction happens by Compact() alone, however many tables overlap.
  bool automatic_compaction = true;
  // So many tables in level 0 start a compaction ...
  unsigned level0_compact_at = 4;
  // ... from so many on writers are slowed, the more the more there are ...
  unsigned level0_slow_at = 16;
  // ... and here they wait.
  unsigned level0_stop_at = 48;
  // The size of level 1; each level below may be `level_growth` times larger.
  std::uint64_t level1_bytes = std::uint64_t{256} << 20;
  unsigned level_growth = 10;
};

class Snapshot;

// How a lookup or an iterator reads.
struct ReadOptions {
  // True: the checksum of every block is verified each time it is read, not
  // only the first time since its table was opened; and of a copy, so that what
  // was verified is what is shown, also if somebody cuts the file meanwhile.
  bool verify_checksums = false;
  // Null: the store as it is.
  const Snapshot* snapshot = nullptr;
};

// How a write is made durable.
struct WriteOptions {
  // True: when the call returns, the write survives power loss.  False: it
  // survives this process, and the machine some seconds later.
  bool sync = false;
};

}  // namespace tamis
