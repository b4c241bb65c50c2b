// SPDX-License-Identifier: Apache-2.0
// tamis/sstable.h -- the tables of storage engines at rest: their filters, and
// the keys that they store.
//
// An sstable here is a table of LevelDB (or of a Tamis store), a block-based
// table of RocksDB, the components of one sstable of Cassandra or ScyllaDB, or
// a Parquet file.  Nothing is written, and no engine is needed.  Files are
// expected to be at rest: a table that an engine removes meanwhile is reported
// as one that cannot be read.
//
// Memory: an open sstable keeps its filter, and a walk one block at a time;
// nothing is allocated on the strength of a length that a file claims, beyond
// what the file's actual size allows.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/export.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// What a filter is worth, the worst that is true of it.
enum class FilterVerdict {
  kOk,          // it does what filters of its size do
  kSaturated,   // more keys than it was sized for: its rate is too high
  kOversized,   // less than a quarter of its bits are set
  kMissing,     // the sstable has keys and no filter
  kDamaged,     // its bytes are not what they should be: it answers "maybe"
  kLegacyHash,  // an old algorithm, which the engine has since replaced
  kNotUsed,     // readers of today ignore it, or have to
  kUnreadable,  // the sstable itself could not be read
};

// "ok", "saturated", "oversized", "missing", "damaged", "legacy-hash",
// "not-used", "unreadable".
TAMIS_EXPORT std::string_view NameOfVerdict(FilterVerdict verdict) noexcept;
// Returns nothing if no verdict has that name.
TAMIS_EXPORT std::optional<FilterVerdict> VerdictNamed(
    std::string_view name) noexcept;

// All filters of one sstable as one: its partitions, LevelDB's one per 2 KiB of
// data, or those of a Parquet file's columns.
struct SstableFilterInfo {
  // The algorithm, as FilterInfo::kind: "bloom", "classic", "ribbon",
  // "splitblock", "legacy-bloom", ...; empty: there is no filter.
  std::string kind;
  std::string name;         // under which the sstable has it; may be empty
  std::uint64_t parts = 0;  // filters
  bool is_partitioned = false;
  std::uint64_t bytes = 0;  // as stored, without checksums
  // As FilterInfo has them, summed up.
  std::uint64_t bits = 0;
  std::uint64_t set_bits = 0;
  unsigned probes = 0;  // a ribbon's columns; the highest where parts differ
  double keys = 0;      // 0: unknown
  bool keys_are_stored = false;       // otherwise estimated from the set bits
  double rate = 1;                    // expected of it; 1 without a filter
  std::optional<double> target_rate;  // the configured one, if it is recorded
  bool has_whole_keys = true;         // false: RocksDB's, of prefixes only
  std::string prefix_extractor;       // RocksDB's name of what is also added
};

// What an sstable's metadata and filters tell, without its data.
struct SstableInfo {
  std::string path;           // of the file with the filter, or of the data
  std::string_view engine;    // "leveldb", "rocksdb", "cassandra", "parquet"
  std::string version;        // of the format: "5", "nb"
  std::string group;          // what totals are about: "level 6", "ks.table"
  int level = -1;             // -1: unknown, or the engine has none
  std::uint64_t bytes = 0;    // of the file, or of all components
  std::uint64_t entries = 0;  // as stored, deletions included; 0: unknown
  std::string compression;    // as stored; empty: unknown
  std::string comparator;     // as stored; empty: unknown
  // Of LevelDB: the stretches of the file that would each have a filter of
  // their own, because a data block begins there; 0: unknown, or other engines.
  std::uint64_t filter_stretches = 0;
  SstableFilterInfo filter;  // of all its parts together
  // What the filter is worth, or that the sstable cannot be read.
  FilterVerdict verdict = FilterVerdict::kUnreadable;
  std::uint64_t wasted_bytes = 0;  // of the filter: it would be as good without
  // What a person should know: why the verdict is what it is, and features of
  // the sstable that are not understood.
  std::vector<std::string> remarks;
  // Not empty: keys cannot be read, or filters not be queried for them, for
  // this reason.
  std::string why_not_verifiable;
};

// Some keys as they are stored, in order.
struct StoredKeys {
  std::span<const Slice> keys;     // valid during the call
  std::span<const bool> admitted;  // what their filter answers to each
  std::uint64_t offset = 0;        // of their block in the file
  // No other key of the sstable is between the first and the last of these, in
  // bytewise order.
  bool are_neighbours = false;
};

// Takes what a walk finds.
class TAMIS_EXPORT SstableVisitor {
 public:
  virtual ~SstableVisitor() = default;
  // Returns false to end the walk.
  virtual bool OnKeys(const StoredKeys& keys) = 0;
  // Something could not be read; the walk continues after it.  `problem` names
  // the file and the offset.
  virtual void OnProblem(const std::string& problem) = 0;
};

// What a walk has read.
struct SstableWalk {
  std::uint64_t keys = 0;      // user keys, repeats and deletions included
  std::uint64_t blocks = 0;    // whose checksums were verified
  std::uint64_t bytes = 0;     // of the file
  std::uint64_t problems = 0;  // passed to OnProblem()
};

// What an sstable has for one key.
enum class StoredKind {
  kNothing,
  kValue,
  kDeletion,
  kMerge,  // RocksDB's: older tables have the rest of the value
  kEntry,  // something, whose kind is not read: a partition of Cassandra
};

// The newest entry of a key in one sstable.
struct StoredEntry {
  StoredKind kind = StoredKind::kNothing;  // what it is
  std::uint64_t offset = 0;                // of its block in the file
};

// One open sstable.  Safe to share among threads.
class TAMIS_EXPORT Sstable {
 public:
  virtual ~Sstable() = default;

  // Returns what was read when it was opened.
  virtual const SstableInfo& info() const noexcept = 0;

  // What the engine learns from the filter when it looks up this user key:
  // false only if the filter rules it out.
  virtual bool MayContain(Slice user_key) const = 0;

  // Reads every key that is stored, through the index, and queries the filter
  // for it as the engine would.  Verifies the checksums of all blocks that are
  // read.  NotSupported: info().why_not_verifiable.
  virtual Result<SstableWalk> Walk(SstableVisitor& visitor) const = 0;

  // Looks the key up in the data, whatever the filter answers.  Deletions of
  // ranges are not looked at.  Reads a block or two; of Cassandra's, and where
  // the order of keys is not known, everything that Walk() does.
  // Corruption, IoError: what the key would be in cannot be read.
  // NotSupported: info().why_not_verifiable.
  virtual Result<StoredEntry> Find(Slice user_key) const = 0;
};

// An sstable that was found, and what its surroundings tell about it.
struct FoundSstable {
  std::string path = {};         // as SstableInfo::path
  std::string_view engine = {};  // whose files these are, judged by the name
  std::string group = {};        // as SstableInfo::group
  int level = -1;                // as SstableInfo::level
  std::uint64_t bytes = 0;       // of its files
  // The length that the engine's manifest records; 0: it records none.
  std::uint64_t recorded_bytes = 0;
  std::string comparator = {};  // as the manifest names it; empty: unknown
  // The first and the last user key, as the manifest records them, in the
  // order of the comparator.
  bool has_range = false;
  std::string smallest = {};
  std::string largest = {};
  // Of level 0, a higher one is newer; 0: unknown.
  std::uint64_t newest_sequence = 0;
};

// What FindSstables() finds.
struct SstableListing {
  std::vector<FoundSstable> sstables;  // by directory, level and name
  // What should be there and is not, or cannot be read; each names its file.
  std::vector<std::string> problems;
};

// Lists the sstables of a file, a directory or a tree; reads directories and
// manifests, and of unknown files the last bytes.  Symbolic links to
// directories are not followed.
// NotFound, PermissionDenied, IoError: `path` cannot be read.
// InvalidArgument: a file that is no sstable.
TAMIS_EXPORT Result<SstableListing> FindSstables(const std::string& path);

// Reads metadata and filters.  Never fails for what is in the files: an
// sstable that cannot be read has the verdict kUnreadable, and its remarks say
// why.  ResourceExhausted: no memory.
TAMIS_EXPORT Result<std::unique_ptr<const Sstable>> OpenSstable(
    const FoundSstable& found);

}  // namespace tamis
