// SPDX-License-Identifier: Apache-2.0
// tamis/store.h -- an embedded key-value store, in LevelDB's on-disk format,
// whose reads are gated by the filters of this library.
//
//   Result<std::unique_ptr<Store>> store =
//       Store::Open("/data/db", {.create_if_missing = true});
//   Status put = store->Put({}, "key", "value");
//   Result<std::string> value = store->Get("key");  // NotFound: no such key
//
// It opens what LevelDB wrote, and LevelDB opens what it wrote; one of them at
// a time.  LevelDB ignores what Tamis adds.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/export.h"
#include "tamis/iterator.h"
#include "tamis/result.h"
#include "tamis/slice.h"
#include "tamis/store_options.h"
#include "tamis/store_stats.h"
#include "tamis/write_batch.h"

namespace tamis {

// The state of the store at one moment.  See Store::GetSnapshot().
class TAMIS_EXPORT Snapshot {
 public:
  virtual ~Snapshot() = default;
};

// Keys from `start` (included) to `end` (excluded).  Both are views: their
// bytes must outlive the call that the range is passed to.
struct KeyRange {
  std::optional<Slice> start = {};  // nothing: from the first key
  std::optional<Slice> end = {};    // nothing: to the last key

  // Named constructors; KeyRange{} is All().
  static KeyRange All() noexcept { return {}; }
  static KeyRange From(Slice start) noexcept { return {.start = start}; }
  static KeyRange Before(Slice end) noexcept { return {.end = end}; }
  static KeyRange Between(Slice start, Slice end) noexcept {
    return {.start = start, .end = end};
  }
};

// What Store::CompactWith() does.
struct CompactOptions {
  KeyRange range = {};  // the keys whose tables are merged
  // False: no level is merged with another.  Tables are only rewritten, and
  // those of level 0 stay as they are.
  bool merge = true;
  // True: tables that differ from this opening's options, in filter, seed,
  // LevelDB's filter, that of the blocks or compression, are rewritten in
  // place.  False: only those that lack a filter of ours and should have one.
  bool rewrite_what_differs = false;
};

// Numbers of input tables; all 0: there was nothing to do.
struct CompactReport {
  std::uint64_t merged = 0;  // with others, into new ones
  std::uint64_t moved = 0;   // down to another level, unchanged
  // Rewritten in their level, to change filter or compression.
  std::uint64_t rewritten = 0;
};

// One step of a lookup, for Store::Explain().
struct LookupStep {
  // Where the step looked.
  enum class Place {
    kMemtable,           // the one that takes writes
    kImmutableMemtable,  // an immutable one, which is being flushed
    kTable,              // a file
  };
  // The result of the step.
  enum class Outcome {
    kOutOfRange,     // the key is outside the table's range
    kFilterAbsent,   // the filter ruled the key out
    kReadAndAbsent,  // a data block was read, and the key is not there
    kIndexAbsent,    // the table's index alone ruled it out
    kFound,          // the value is here
    kFoundDeleted,   // a deletion is here: the key is absent
    kFailed,         // `note` says why
  };
  // Which filter ruled the key out.
  enum class Layer {
    kNone,                // no filter did
    kWholeFilter,         // that of the whole table, or of the memtable
    kBlockFilter,         // that of the one possible data block
    kLevelDbBlockFilter,  // LevelDB's of that block
  };
  Place place = Place::kTable;    // where it looked
  int level = -1;                 // of a table
  std::uint64_t file_number = 0;  // of a table, or of a memtable's log
  std::uint64_t file_bytes = 0;   // of that file
  // The table's first and last key.
  std::string smallest;
  std::string largest;
  // "bloom", "leveldb", ...: the kind of the filter that was queried; empty:
  // none was, and `note` may say why.
  std::string filter;
  double filter_rate = 0;          // its expected rate of false positives
  std::uint64_t filter_bytes = 0;  // of it, in memory
  double filter_bits_per_key = 0;  // of those; 0: unknown
  // The second layer, StoreOptions::block_filter_bits: its memory (0: there is
  // none in memory) and its expected rate.
  std::uint64_t block_filter_bytes = 0;
  double block_filter_rate = 0;
  unsigned blocks_read = 0;
  Outcome outcome = Outcome::kOutOfRange;
  Layer ruled_out_by = Layer::kNone;  // with kFilterAbsent
  std::string note;
};

// The result of Store::Explain().
struct Explanation {
  std::vector<LookupStep> steps;  // in the order in which a lookup takes them
  Status status;                  // what Get() returns
  std::string value;              // if status is ok
};

// All methods are safe to call from many threads, and none throws.  When memory
// runs out, a call fails with ResourceExhausted and the store remains usable;
// background work is retried, as it is when the disk is full.
//
// A store belongs to the process that opened it.  In a forked child, calls that
// write or wait fail with InvalidArgument, and destroying the Store does
// nothing; Get() and iterators may work, but not if another thread of the
// parent was using the store during the fork.  Open a store after forking.
class TAMIS_EXPORT Store {
 public:
  // NotFound: there is no store at `dir` and create_if_missing is not set.
  // InvalidArgument: the store has another comparator, or an option is not
  // valid.
  // NotSupported: the directory is RocksDB's or another engine's.
  // IoError: the store is open elsewhere, or the system reports an error.
  // Corruption: the message names the file.
  // If opening fails because of the contents of the directory, these are
  // unchanged.
  static Result<std::unique_ptr<Store>> Open(const std::string& dir,
                                             const StoreOptions& options = {});
  // Waits for background work in progress.  REQUIRES: no method is running,
  // and its iterators and snapshots are destroyed
  ~Store();

  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Every write is atomic, and visible to all reads that begin after it has
  // returned.  InvalidArgument: a key is longer than 1 GiB, a value longer than
  // 2 GiB, or a batch 4 GiB or more.  A store numbers its writes; when all 2^56
  // sequence numbers are used up, writes fail with ResourceExhausted and reads
  // still work.  After a failed write the store may refuse further ones until
  // the cause is removed: see the message.
  Status Put(const WriteOptions& options, Slice key, Slice value);
  Status Delete(const WriteOptions& options, Slice key);
  Status Write(const WriteOptions& options, const WriteBatch& batch);

  // Returns the value of a key.  NotFound: no such key.
  Result<std::string> Get(Slice key);
  Result<std::string> Get(const ReadOptions& options, Slice key);
  // The same into a string of the caller, whose memory is reused.
  // NotFound: no such key; *value is as it was.
  Status Get(const ReadOptions& options, Slice key, std::string* value);
  // Sets statuses[i] and values[i] to the result of Get(keys[i]), all of the
  // same moment.  Faster than calling Get() for each key.
  // REQUIRES: all three have the same size
  void MultiGet(const ReadOptions& options, std::span<const Slice> keys,
                std::span<std::string> values, std::span<Status> statuses);

  // Never return null.  If there is no memory, the iterator is at no entry and
  // its status() says so, and reads of the snapshot fail.  REQUIRES: the result
  // is destroyed before the store
  std::unique_ptr<Iterator> NewIterator(const ReadOptions& options = {});
  std::unique_ptr<const Snapshot> GetSnapshot();

  // Writes the memtable to a table, and waits until that is done.
  Status Flush();
  // Flushes, then merges all tables that overlap the range down to the lowest
  // level that has any, and drops entries that are deleted or overwritten.
  Status Compact(const KeyRange& range = {});
  // The same with options and a report.  Corruption, or an error of the system:
  // a table cannot be read; the message names it.
  Result<CompactReport> CompactWith(const CompactOptions& options);
  // Waits until no background work is left.
  Status WaitForQuiet();

  // Changes StoreOptions::filter_memory_bytes; nothing: no limit.  When it
  // returns, no more is held: filters of tables that are asked least were
  // folded to a half, a quarter or an eighth, or dropped.  With more memory
  // they come back.  ResourceExhausted: there was no memory to change what is
  // held.
  Status SetFilterMemory(std::optional<std::uint64_t> bytes);

  // Returns counts since the store was opened, and its current state.
  StoreStats Stats() const;
  // Returns the approximate bytes of tables that each range takes, in whole
  // compressed blocks.  Empty: there was no memory for the result.
  std::vector<std::uint64_t> ApproximateSizes(
      std::span<const KeyRange> ranges) const;
  // Takes LevelDB's names, prefixed by "tamis." or "leveldb.":
  // "num-files-at-level<N>", "stats", "sstables", "approximate-memory-usage";
  // and "tamis.json", "tamis.prometheus".  NotFound: no such property.
  Result<std::string> Property(std::string_view name) const;

  // Returns what Get() does for this key, step by step.  Not counted as a
  // lookup.
  Explanation Explain(const ReadOptions& options, Slice key);

 private:
  friend class StoreImpl;
  explicit Store(std::unique_ptr<class StoreImpl> impl);
  std::unique_ptr<class StoreImpl> impl_;
};

// Removes the store's files, and the directory if nothing else is in it; files
// that a repair has moved to `dir`/lost stay.  NotFound: there is no store.
// IoError: it is open.  NotSupported: it is RocksDB's or another engine's.
// InvalidArgument: the store has another comparator than the options.
// Corruption: CURRENT is missing, but there are tables or logs that a repair
// could save.
TAMIS_EXPORT Status DestroyStore(const std::string& dir,
                                 const StoreOptions& options = {});

// What DestroyStore() removes beyond the store's own files.
struct DestroyOptions {
  // Also removes `dir`/lost and what repair and recovery moved there, unless it
  // is a symbolic link.
  bool remove_lost = false;
};

// What DestroyStore() left.
struct DestroyReport {
  std::vector<std::string> stayed;  // names in `dir`, "lost" among them
  std::uint64_t lost_files = 0;     // in `dir`/lost, if that stayed
};

// The same, and reports what stayed; the directory is removed if nothing did.
TAMIS_EXPORT Result<DestroyReport> DestroyStore(const std::string& dir,
                                                const StoreOptions& options,
                                                const DestroyOptions& destroy);

// Whether RepairStore() changes anything.
enum class RepairMode {
  kWrite,   // carries out what it reports
  kDryRun,  // reads everything and writes nothing: reports what a repair would
            // do
};

// What RepairStore() found and did.
struct RepairReport {
  // True: the store opens and has no problem, so nothing was done.
  bool was_clean = false;
  std::uint64_t tables = 0;       // kept
  std::uint64_t entries = 0;      // in them; of a dry run, before merging
  std::uint64_t logs = 0;         // turned into tables; others had no entries
  std::vector<std::string> lost;  // one sentence for each thing damaged
  // One sentence for each reason why deleted or overwritten keys may have come
  // back.  (An item of `lost` may be such a reason, too: a deletion may have
  // been in it.)
  std::vector<std::string> may_come_back;
  std::vector<std::string> actions;  // one sentence for each file
};

// Makes a store that opens from whatever tables and logs can still be read.
//
// The manifest decides which tables and logs are live, as far as it can be
// read; intact tables stay where it says, and damaged ones are replaced by what
// can be read of them.  Tables that its damaged part may have named are kept,
// too, and may_come_back says so; without any manifest, all tables are kept.
// Files that are damaged or no longer needed are moved to `dir`/lost; none is
// removed.  Nothing is written before everything was read, and the store is
// unchanged until the new manifest is in place.
//
// A store that opens and has no problem that CheckStore() would find is left
// as it is.  A dry run changes nothing at all.  Like a repair it takes the
// store's lock if there is a LOCK file, but it proceeds without the lock if it
// has no permission to take it.
//
// NotFound: nothing is there.  NotSupported: the directory is RocksDB's or
// another engine's, or nothing in it can be read as part of a store, or a block
// cannot be unpacked by this build.  IoError: the store is open, or cannot be
// written.  PermissionDenied: no permission to read a file or to write the
// directory.  ResourceExhausted: no memory or open file is left, or a block
// claims more than max_block_bytes or max_block_growth allow; the message names
// the file, which need not be damaged.  InvalidArgument: the store has another
// comparator, or seems to: no manifest names one, and its keys are in another
// order.  On error the directory is unchanged.
TAMIS_EXPORT Result<RepairReport> RepairStore(
    const std::string& dir, const StoreOptions& options = {},
    RepairMode mode = RepairMode::kWrite);

// What CheckStore() read and found.
struct CheckReport {
  std::uint64_t tables = 0;   // that were read
  std::uint64_t entries = 0;  // deletions and older versions included
  std::uint64_t blocks = 0;   // of all tables
  std::uint64_t bytes = 0;    // of tables and logs that were read
  // Tables whose filters are verified and contain all their keys, and the
  // number of those filters: one of ours, one of LevelDB's, or both.
  std::uint64_t filtered_tables = 0;
  std::uint64_t filters = 0;
  std::uint64_t logs = 0;  // present; those that are not needed are not read
  std::uint64_t log_records = 0;
  std::uint64_t table_bytes = 0;
  std::uint64_t log_bytes = 0;
  std::vector<std::string> problems;  // each names its file; empty: all well
  // Observations that are not problems: for example writes that were not synced
  // and would be lost in a power loss.
  std::vector<std::string> notes;
};

// Reads everything and verifies every checksum, the order of keys in and
// across tables, and that no filter denies a key of its table.  Whatever keeps
// Store::Open() from opening the store is a problem.  Writes nothing.
//
// Another process may write to the store meanwhile: a file that has disappeared
// since the manifest was read is a problem only if the manifest, read again,
// still names it; the incomplete end of a log that is being written is not a
// problem.
//
// NotFound: there is no store.  NotSupported: it is RocksDB's or another
// engine's.  A read error that is not damage is not reported as a problem, but
// ends the check: PermissionDenied, ResourceExhausted (no memory or open file,
// or a block that claims more than max_block_bytes or max_block_growth allow),
// NotSupported (this build cannot unpack a block); the message names the file.
// `progress`, if not empty, is called with the bytes of tables read so far and
// the total; it may throw only std::bad_alloc.
using CheckProgress =
    std::function<void(std::uint64_t done, std::uint64_t all)>;
TAMIS_EXPORT Result<CheckReport> CheckStore(const std::string& dir,
                                            const StoreOptions& options = {},
                                            const CheckProgress& progress = {});

}  // namespace tamis
