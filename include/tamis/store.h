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
// a time.  What Tamis adds lies where LevelDB does not look.

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

// The store as it was at one moment.  See Store::GetSnapshot().
class TAMIS_EXPORT Snapshot {
 public:
  virtual ~Snapshot() = default;
};

// Keys from `start` (included) to `end` (excluded).  Both are views: their
// bytes must outlive the call that the range is passed to.
struct KeyRange {
  std::optional<Slice> start = {};  // nothing: from the first key
  std::optional<Slice> end = {};    // nothing: to the last key

  // The ranges by name; KeyRange{} is All().
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
  // True: tables that were written otherwise than this opening's options say
  // are rewritten wherever they are: with another filter or seed, with or
  // without LevelDB's filter, by another compression.  False: only those that
  // have no filter of ours and should have one.
  bool rewrite_what_differs = false;
};

// Counts tables as they were before; all 0: there was nothing to do.
struct CompactReport {
  std::uint64_t merged = 0;  // with others, into new ones
  std::uint64_t moved = 0;   // down to another level, as they are
  // Written anew where they are, for the sake of filter or compression.
  std::uint64_t rewritten = 0;
};

// One step of a lookup, for Store::Explain().
struct LookupStep {
  // Where the step looked.
  enum class Place {
    kMemtable,        // the one that takes writes
    kImmutableMemtable,  // an immutable one, which is being flushed
    kTable,           // a file
  };
  // What came of it.
  enum class Outcome {
    kOutOfRange,     // the table's keys all lie before or after
    kFilterAbsent,   // the filter ruled the key out
    kReadAndAbsent,  // a data block was read, and the key is not there
    kIndexAbsent,    // the table's index alone ruled it out
    kFound,          // here is the value
    kFoundDeleted,   // here is a deletion: the key is absent
    kFailed,         // `note` says why
  };
  Place place = Place::kTable;    // where it looked
  int level = -1;                 // of a table
  std::uint64_t file_number = 0;  // of a table, or of a memtable's log
  std::uint64_t file_bytes = 0;   // of that file
  // The table's first and last key.
  std::string smallest;
  std::string largest;
  // "bloom", "leveldb", ...: the kind of the filter that was asked; empty:
  // none was, and `note` may say why.
  std::string filter;
  double filter_rate = 0;  // its expected rate of false positives
  unsigned blocks_read = 0;
  Outcome outcome = Outcome::kOutOfRange;
  std::string note;
};

// What Store::Explain() tells.
struct Explanation {
  std::vector<LookupStep> steps;  // in the order in which a lookup takes them
  Status status;                  // what Get() gives
  std::string value;              // if status is ok
};

// Safe to share among threads, all methods.  None throws: where memory runs out
// a call fails with ResourceExhausted and the store lives on; what is done in
// the background is tried again, as with a full disk.
//
// A store belongs to the process that opened it.  In a child that was forked
// since, what writes or waits is InvalidArgument, and destroying the Store does
// nothing; Get() and iterators may work, but not if another thread of the
// parent was inside the store at the fork.  Open a store after forking.
class TAMIS_EXPORT Store {
 public:
  // NotFound: there is no store at `dir` and create_if_missing is not set.
  // InvalidArgument: another comparator's, or options that make no sense.
  // NotSupported: the directory is RocksDB's or another engine's.
  // IoError: the store is open elsewhere, or the system says no.
  // Corruption: the message names the file.
  // Who is refused for what the directory holds finds it as it was.
  static Result<std::unique_ptr<Store>> Open(const std::string& dir,
                                             const StoreOptions& options = {});
  // Waits for background work in progress.  REQUIRES: no method is running,
  // and the iterators and snapshots that came from it are gone
  ~Store();

  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Every write is atomic, and visible to all reads that begin after it has
  // returned.  Keys may have up to 1 GiB, values up to 2 GiB, and a batch less
  // than 4 GiB: InvalidArgument.  A store numbers its writes, 2^56 of them:
  // when the numbers are used up, writes are ResourceExhausted and reads go on.
  // After a write that failed, the store may
  // refuse further ones until the reason is gone: see the message.
  Status Put(const WriteOptions& options, Slice key, Slice value);
  Status Delete(const WriteOptions& options, Slice key);
  Status Write(const WriteOptions& options, const WriteBatch& batch);

  // The value of a key.  NotFound: no such key.
  Result<std::string> Get(Slice key);
  Result<std::string> Get(const ReadOptions& options, Slice key);
  // The same into a string of the caller's, whose memory is used again.
  // NotFound: no such key; *value is as it was.
  Status Get(const ReadOptions& options, Slice key, std::string* value);
  // statuses[i] and values[i] are what Get(keys[i]) gives, all of the same
  // moment, and faster than one by one.
  // REQUIRES: all three have the same size
  void MultiGet(const ReadOptions& options, std::span<const Slice> keys,
                std::span<std::string> values, std::span<Status> statuses);

  // Never null.  Where there is no memory for one, the iterator stands at none
  // and its status() says why, and so do reads of the snapshot.
  // REQUIRES: destroyed before the store
  std::unique_ptr<Iterator> NewIterator(const ReadOptions& options = {});
  std::unique_ptr<const Snapshot> GetSnapshot();

  // Writes what is in memory to a table, and waits for it.
  Status Flush();
  // Flushes, then merges all tables that overlap the range down to the lowest
  // level that has any, dropping what is deleted or overwritten.
  Status Compact(const KeyRange& range = {});
  // The same with more to say, and to hear.  Corruption, or what the system
  // says: a table cannot be read; the message names it.
  Result<CompactReport> CompactWith(const CompactOptions& options);
  // Until no background work is left to do.
  Status WaitForQuiet();

  // Counts since the store was opened, and its present state.
  StoreStats Stats() const;
  // Bytes of tables that hold each range, about: whole blocks, compressed.
  // Empty: there was no memory for the answer.
  std::vector<std::uint64_t> ApproximateSizes(
      std::span<const KeyRange> ranges) const;
  // LevelDB's names, with "tamis." or "leveldb." before them:
  // "num-files-at-level<N>", "stats", "sstables", "approximate-memory-usage";
  // and "tamis.json", "tamis.prometheus".  NotFound: no such property.
  Result<std::string> Property(std::string_view name) const;

  // What Get() does for this key, step by step.  Not counted as a lookup.
  Explanation Explain(const ReadOptions& options, Slice key);

 private:
  friend class StoreImpl;
  explicit Store(std::unique_ptr<class StoreImpl> impl);
  std::unique_ptr<class StoreImpl> impl_;
};

// Removes the store's files, and the directory if nothing else is in it; what
// a repair has put into `dir`/lost stays.
// NotFound: there is no store.  IoError: it is open.  NotSupported: it is
// RocksDB's or another engine's.  InvalidArgument: another comparator than that
// of the options orders its keys.  Corruption: CURRENT is missing, but tables
// or logs are there, which a repair could save.
TAMIS_EXPORT Status DestroyStore(const std::string& dir,
                                 const StoreOptions& options = {});

// What DestroyStore() removes beyond the store's own files.
struct DestroyOptions {
  // Removes `dir`/lost, too, and what repair and recovery put there; unless it
  // is a link to somewhere else.
  bool remove_lost = false;
};

// What DestroyStore() left.
struct DestroyReport {
  std::vector<std::string> stayed;  // names in `dir`, "lost" among them
  std::uint64_t lost_files = 0;     // in `dir`/lost, if that stayed
};

// The same, and tells what stayed; the directory is gone if nothing did.
TAMIS_EXPORT Result<DestroyReport> DestroyStore(const std::string& dir,
                                                const StoreOptions& options,
                                                const DestroyOptions& destroy);

// Whether RepairStore() changes anything.
enum class RepairMode {
  kWrite,   // it does what the report says
  kDryRun,  // all is read and nothing written: the report says what would be
};

// What RepairStore() found and did.
struct RepairReport {
  // True: the store opens and nothing is wrong with it, so nothing was done.
  bool was_clean = false;
  std::uint64_t tables = 0;       // kept
  std::uint64_t entries = 0;      // in them; of a dry run, before merging
  std::uint64_t logs = 0;         // turned into tables; others had no entries
  std::vector<std::string> lost;  // one sentence for each thing damaged
  // One sentence for each reason for which keys that were deleted or
  // overwritten may be back.  (What is in `lost` may be such a reason, too: a
  // deletion may have been in it.)
  std::vector<std::string> may_come_back;
  std::vector<std::string> actions;  // one sentence for each file
};

// Makes a store that opens from whatever tables and logs can still be read.
//
// The manifest decides which tables and logs are live, as far as it can be
// read; whole tables stay where it says, and damaged ones are replaced by what
// can be read of them.  Tables for which its damaged part may have spoken are
// taken, too, and may_come_back says so; without any manifest, that is all of
// them.  Files that are damaged or not needed any more are moved to
// `dir`/lost, and none is removed.  Nothing is written before everything was
// read, and until the new manifest is in place the store is as it was.
//
// A store that opens and has no problem that CheckStore() would find is left
// as it is.  A dry run changes nothing at all.  It takes the store's lock, if
// there is a LOCK, as a repair does; where there is no right to, it goes
// without.
//
// NotFound: nothing is there.  NotSupported: the directory is RocksDB's or
// another engine's, or nothing in it can be read as part of a store, or a block
// cannot be unpacked by this build.  IoError: the store is open, or cannot be
// written.  PermissionDenied: a file may not be read, or the directory not be
// written.  ResourceExhausted: no memory or open file is left, or a block
// claims more than max_block_bytes or max_block_growth allow; the message names
// the file, which is not damaged by that.  InvalidArgument: the store has
// another comparator, or seems to: without a manifest that names one, its keys
// are in another order.  Who is refused finds the directory as it was.
TAMIS_EXPORT Result<RepairReport> RepairStore(
    const std::string& dir, const StoreOptions& options = {},
    RepairMode mode = RepairMode::kWrite);

// What CheckStore() read and found.
struct CheckReport {
  std::uint64_t tables = 0;   // that were read
  std::uint64_t entries = 0;  // deletions and older versions included
  std::uint64_t blocks = 0;   // of all tables
  std::uint64_t bytes = 0;    // of tables and logs that were read
  // Tables with a filter that is verified and holds all their keys, and how
  // many filters these have: one of ours, one of LevelDB's, or both.
  std::uint64_t filtered_tables = 0;
  std::uint64_t filters = 0;
  std::uint64_t logs = 0;  // there; those that are not needed are not read
  std::uint64_t log_records = 0;
  std::uint64_t table_bytes = 0;
  std::uint64_t log_bytes = 0;
  std::vector<std::string> problems;  // each names its file; empty: all well
  // What is worth knowing and no problem: writes that were not synced and are
  // lost with the machine, for example.
  std::vector<std::string> notes;
};

// Reads everything and verifies every checksum, the order of keys in and
// across tables, and that no filter denies a key of its table.  What keeps
// Store::Open() from opening the store is a problem.  Writes nothing.
//
// Another process may write to the store meanwhile: a file that is gone since
// the manifest was read is a problem only if the manifest, read again, still
// names it; the end of a log that is being written is none.
//
// NotFound: there is no store.  NotSupported: it is RocksDB's or another
// engine's.  What cannot be read for a reason that is no damage is no problem
// of the store, but ends the check: PermissionDenied, ResourceExhausted (no
// memory or open file, or a block that claims more than max_block_bytes or
// max_block_growth allow), NotSupported (this build cannot unpack a block); the
// message names the file.  `progress`, if not empty, hears of the bytes of
// tables read so far and in all; it must throw nothing but std::bad_alloc.
using CheckProgress =
    std::function<void(std::uint64_t done, std::uint64_t all)>;
TAMIS_EXPORT Result<CheckReport> CheckStore(const std::string& dir,
                                            const StoreOptions& options = {},
                                            const CheckProgress& progress = {});

}  // namespace tamis
