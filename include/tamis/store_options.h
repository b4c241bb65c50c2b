// SPDX-License-Identifier: Apache-2.0
// tamis/store_options.h -- how a store is opened, read and written.  The
// defaults are right for most people.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/block_cache.h"
#include "tamis/comparator.h"
#include "tamis/env.h"
#include "tamis/export.h"
#include "tamis/filter.h"
#include "tamis/prefix.h"

namespace tamis {

// How blocks are compressed; the number is stored after each block.
enum class Compression : std::uint8_t {
  kNone = 0,    // uncompressed
  kSnappy = 1,  // LevelDB's default
  kZstd = 2,    // only LevelDB's newest sources read it, not 1.23
};

// How reads use the filters of tables.  The results are the same.
enum class FilterUse {
  kOn,           // filters are queried, and tables they rule out are not read
  kOff,          // filters are neither loaded nor queried
  kAlwaysMaybe,  // filters are queried and counted, and the table is read
                 // anyway: shows what they would have saved
};

// When the index of a table is parsed and its filter read into memory.  Tables
// that this process writes have theirs at once.
enum class FilterLoading {
  kWhenFirstAsked,  // by the first lookup that needs it
  kAtOpening,       // with the table: no lookup waits for it
  // By a thread of the store, from the first lookup that needs it on.  Until it
  // is there, lookups in that table do without, and none waits for it.  A store
  // that is open for reading has no threads: as kWhenFirstAsked.
  kInBackground,
};

// Larger than any value that a store accepts.
inline constexpr std::uint64_t kDefaultMaxBlockBytes = std::uint64_t{3} << 30;
inline constexpr std::uint64_t kDefaultMaxBlockGrowth = 64;

// The seed that filters of new tables hash with, if `filter` does not name one
// and its kind takes one.  Tables with any seed are read.
enum class FilterSeed {
  // A seed that the store chose at random when it was created or first opened
  // with this option, and remembers: without knowing it nobody can choose keys
  // that collide, or keys that a filter lets through.
  kRandomPerStore,
  kFixed,  // 0: the same keys give the same bytes, in every store
};

// Called with each line of a store's log, without a line break, from any
// thread, but by one at a time.  What it throws is ignored.
using InfoLogReceiver = std::function<void(std::string_view line)>;

// How a store is opened; see Store::Open().
struct StoreOptions {
  // ---- What affects behaviour ----

  // A missing directory is an error unless this is set.
  bool create_if_missing = false;
  bool error_if_exists = false;
  // Nothing is written, not even a lock or a log, and no write access is
  // needed.  Reads see the store as it was when it was opened.
  bool read_only = false;
  // A last log record that a crash has cut off is not damage and never prevents
  // opening.  Other damage in a log does, unless this is set: damaged records
  // are then skipped, as LevelDB does.
  bool skip_damaged_log_records = false;

  // A page that cannot be read is an IoError that names the file: always in
  // logs and manifests, filters and indexes of tables, and in a data block the
  // first time it is read (each time, with verify_checksums).  After that,
  // reading a mapped table may raise SIGBUS if the system has dropped a page
  // and cannot read it again, or if the file was truncated; and so may writing
  // if the log was truncated.  True: these are errors, too, because opening
  // calls GuardMappings() (tamis/env.h), which installs a handler of that
  // signal for the whole process.  With false and map_tables = false, reading
  // raises no signal.
  bool guard_mappings = false;

  // Must be the store's comparator.  REQUIRES: outlives the store
  const Comparator* comparator = &BytewiseComparator();
  // Null: DefaultEnv().  REQUIRES: outlives the store
  Env* env = nullptr;

  // Receives what the store did, instead of the file LOG.  Empty: the file.
  InfoLogReceiver info_log = {};

  // Limits on the size of an unpacked block: so many bytes and, beyond 32 MiB,
  // so many times its stored size.  A block that exceeds them is refused
  // (ResourceExhausted) before memory is allocated.  Raise them to read foreign
  // tables with larger values; what this library writes stays within the
  // defaults, and within these.
  std::uint64_t max_block_bytes = kDefaultMaxBlockBytes;
  std::uint64_t max_block_growth = kDefaultMaxBlockGrowth;

  // The filter of new tables, as a spec for MakePolicy(), but not of a fixed
  // size (m=); "" for none.  Existing filters are read whatever their kind.
  // Opening tries the policy on a few keys, and fails with InvalidArgument if
  // that fails.  A table whose filter cannot be built has none: see
  // StoreStats::filters_not_built.
  std::string filter = "bloom:10";
  // The same level by level, instead of `filter`: the first for level 0, the
  // last for all deeper ones, as {"bloom:14", "bloom:12", "ribbon:8"}.  A table
  // that is moved down unchanged keeps its filter.
  std::vector<std::string> filter_per_level = {};
  // A custom policy instead of `filter`, for all levels.
  std::shared_ptr<const FilterPolicy> filter_policy = nullptr;
  // The memory that filters may take, in bytes: never more is held.  The store
  // then chooses the sizes and kinds of new filters itself, unless
  // filter_per_level or filter_policy say them (or `filter` is "": none), and
  // which ones to hold, so that lookups read as little as possible in vain.
  // Nothing: no limit.  See Store::SetFilterMemory(), docs/tuning.md.
  std::optional<std::uint64_t> filter_memory_bytes = {};
  // With filter_memory_bytes: lookups nearly always find their key, mostly in
  // the last level, whose filters are of no use then.
  bool expect_hits = false;
  // A cache-local filter ("bloom") of a new table that is larger than so many
  // bytes is stored in parts of 4 KiB, each with its own checksum.  It is read
  // wholly if there is memory for it; if there is not (filter_memory_bytes),
  // lookups read the parts that they ask for, and what memory there is keeps
  // those that are asked often.  0: no filter is stored so.
  std::uint64_t filter_parts_above = std::uint64_t{8} << 20;
  FilterSeed filter_seed = FilterSeed::kRandomPerStore;
  // New tables also get a filter of LevelDB's own format, with so many bits per
  // key, so that LevelDB reads them fast, too.  0: none.
  unsigned leveldb_filter_bits = 10;
  // A custom policy for that filter instead of LevelDB's own: new tables get
  // its filters as LevelDB would write them, one for the keys of each 2 KiB,
  // under "filter." and its name; tables that have them are read by them.  It
  // is used with every comparator: its filters must not tell keys apart that
  // compare equal.
  std::shared_ptr<const FilterPolicy> leveldb_filter_policy = nullptr;
  // True: tables that lookups read and whose filter is missing, damaged or one
  // of LevelDB's per 2 KiB get one as new tables have, in a file beside them
  // (tamis/filter_files.h): in the background, slowly, and no table is
  // rewritten.  With expect_hits not those of the last level.  Needs
  // filter_use = kOn.
  bool filter_files = false;
  // New tables also get a second layer: a filter for each data block, with so
  // many bits per key, up to 64.  Lookups that get past the filter of the table
  // query it before they read the block.  0: none.  docs/tuning.md says when it
  // pays.
  unsigned block_filter_bits = 0;
  // New tables also get a range filter, with so many bits per key, from 3 to
  // 32: iterators leave tables unread that have no key where they scan.  8 is a
  // good number.  0: none.  A table whose keys do not suit it has none.  It
  // needs keys that are ordered by their bytes; with another comparator there
  // is none.  docs/scans.md says when it pays.
  unsigned range_filter_bits = 0;
  // The filters of new tables also get the prefixes of their keys, as a text
  // for MakePrefixExtractor() (tamis/prefix.h); "": they do not.  Iterators
  // whose bounds lie within one prefix (ReadOptions) then leave out tables
  // without it.  Tables with the prefixes of another extractor are read as if
  // they had none.  Needs keys that are ordered by their bytes.  See
  // docs/scans.md.
  std::string prefix_extractor = {};
  // An extractor of the program's own instead of `prefix_extractor`.
  std::shared_ptr<const PrefixExtractor> custom_prefix_extractor = nullptr;
  FilterUse filter_use = FilterUse::kOn;
  // The store remembers the table options of this opening
  // (tamis/store_settings.h).  A new store always does.
  bool remember_settings = false;

  // ---- What affects performance only ----

  // The size that a memtable reaches before it is flushed to a table.
  std::size_t write_buffer_bytes = std::size_t{32} << 20;
  // The size at which a new table is started.
  std::uint64_t table_bytes = std::uint64_t{64} << 20;
  // The size at which a data block, the smallest unit of reading, is closed.
  std::size_t block_bytes = 4096;
  // The number of keys from one that is stored in full to the next.
  unsigned restart_interval = 16;
  Compression compression = Compression::kSnappy;
  int zstd_level = 1;

  // The size of the cache of decompressed blocks.  Filters and indexes do not
  // count, and uncompressed tables are mapped, not cached.
  std::size_t block_cache_bytes = std::size_t{32} << 20;
  // A cache instead of the store's own; several stores may share it.
  std::shared_ptr<BlockCache> block_cache = nullptr;
  // False: tables are read, not mapped (see guard_mappings).
  bool map_tables = true;
  FilterLoading filter_loading = FilterLoading::kInBackground;

  // Threads for one compaction, beside one for flushing.  A compaction of level
  // 0 that runs beside another one gets what that leaves, and one at least.  1:
  // compactions run one at a time.
  unsigned compaction_threads = 2;
  // Flushing and compaction are done by threads whose niceness is raised by so
  // much, so that on a machine with few processors they do not take the turn of
  // a thread that reads or writes: such a turn lasts milliseconds.  They still
  // use what others leave.  What writers or other callers wait for, or soon
  // will, is done, or continued, by threads that compete like all others.
  // 0: all of it is.
  int background_niceness = 15;
  // False: only Compact() compacts, however many tables overlap.
  bool automatic_compaction = true;
  // This number of tables in level 0 starts a compaction ...
  unsigned level0_compact_at = 4;
  // ... from this number on writers are increasingly slowed down ...
  unsigned level0_slow_at = 16;
  // ... and at this number they wait.
  unsigned level0_stop_at = 48;
  // From this number of tables in level 0 on, a router tells lookups which of
  // them may have a key, so that they need not ask all: it takes about 4 bytes
  // of memory per key of level 0, of filter_memory_bytes a quarter at most.  0:
  // there is none.  A store that is open for reading has none.  See
  // docs/tuning.md.
  unsigned level0_route_at = 12;
  // The size of level 1; each level below may be `level_growth` times larger.
  std::uint64_t level1_bytes = std::uint64_t{256} << 20;
  unsigned level_growth = 10;
};

class Snapshot;

// How a lookup or an iterator reads.
struct ReadOptions {
  // True: the checksum of every block is verified each time it is read, not
  // only the first time since its table was opened; and it is verified on a
  // copy, so that what is returned is what was verified, even if the file is
  // truncated meanwhile.
  bool verify_checksums = false;
  // False: decompressed blocks that are read are not kept in the cache.
  bool fill_cache = true;
  // Null: the current state of the store.
  const Snapshot* snapshot = nullptr;
  // True: the key is expected to be there, so that a lookup does not ask the
  // filter of the last level.  The result is the same.
  bool expect_hit = false;

  // Of an iterator: it is as if the store had only the keys at or after
  // `lower_bound` that are before `upper_bound` and start with `prefix`. Tables
  // and blocks without such keys are not read, and nothing beyond a bound is
  // searched for the next key.  Nothing: there is no such bound.  A prefix
  // needs keys that are ordered by their bytes; with another comparator the
  // iterator is at no entry, and its status is InvalidArgument. NewIterator()
  // copies them.
  std::optional<Slice> lower_bound = {};
  std::optional<Slice> upper_bound = {};
  std::optional<Slice> prefix = {};
};

// How a write is made durable.
struct WriteOptions {
  // True: when the call returns, the write survives power loss.  False: it
  // survives a crash of this process, and power loss some seconds later.
  bool sync = false;
};

}  // namespace tamis
