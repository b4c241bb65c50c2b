// SPDX-License-Identifier: Apache-2.0
// tamis/sstable_rebuild.h -- new filters for the sstables of a directory, whose
// data stays as it is.
//
// New files are written beside the old ones, read back and checked against
// every key before anything is switched; a crash at any moment leaves the
// engine with the old files or with the new ones.  What the new files replace
// is kept in a directory of its own, kRebuildDirectory, until somebody removes
// it; until then UndoRebuild() brings it back.
//
// The database must be at rest.  LevelDB and RocksDB lock theirs, and so does
// this; Cassandra and ScyllaDB have no lock, so processes that have the files
// open are looked for.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/env.h"
#include "tamis/export.h"
#include "tamis/result.h"
#include "tamis/sstable.h"

namespace tamis {

// Within the directory of the sstables: new files that are not complete, old
// ones that are kept, and a journal.
inline constexpr std::string_view kRebuildDirectory = "tamis-rebuild";

// Which filters are wanted.  At most one of the sizes has a value; none: the
// size that the engine itself would choose.
struct RebuildChoice {
  std::optional<double> rate = {};          // of false positives
  std::optional<double> bits_per_key = {};  // with fractions where they exist
  // "bloom", "ribbon", ...: what the engine could use.  Empty: the kind that
  // an sstable has or, without a filter, the engine's usual one.
  std::string kind = {};

  // True: a rate or bits per key were requested.
  bool has_size() const noexcept {
    return rate.has_value() || bits_per_key.has_value();
  }
};

// What RebuildFilters() is to do.
struct RebuildOptions {
  RebuildChoice choice = {};  // of filters
  // Sstables with one of these verdicts.  Empty: with a choice all that have
  // keys, and without one those whose verdict is not kOk.
  std::vector<FilterVerdict> only = {};
  // Empty: in place.  Otherwise a directory, which is created and must be empty
  // if it exists: LevelDB and RocksDB get a whole database there, Cassandra the
  // components that are new.
  std::string out_directory = {};
  // Checks everything and writes nothing.
  bool dry_run = false;
  // Names of files in the directory; not empty: no others.
  std::vector<std::string> files = {};
  // Called after each sstable with the bytes of its files.
  std::function<void(std::uint64_t bytes)> on_progress = {};
  Env* env = &DefaultEnv();
};

// One sstable that was to get a new filter.
struct RebuiltSstable {
  SstableInfo before;  // what it was
  // Its new file, within the directory; empty with `dry_run` and if skipped.
  std::string new_file = {};
  // Of the new file, expected rate included; nothing with `dry_run`.
  std::optional<SstableInfo> after = {};
  std::uint64_t keys = 0;  // that were queried in the new filter
  // Not empty: it stays as it is, for this reason.
  std::string why_skipped = {};
  // Its bytes are copied under a new number, because tables of level 0 are
  // ordered by their numbers.
  bool is_copied = false;
  // Its filter is already what it would be.
  bool is_unchanged = false;
};

// What RebuildFilters() has done.
struct RebuildReport {
  std::string engine;                    // as SstableInfo::engine
  std::vector<RebuiltSstable> sstables;  // in the order of the listing
  std::uint64_t bytes_to_write = 0;      // at most, as planned
  // What a person should know: an earlier attempt that was undone.
  std::vector<std::string> notes;
  // Where the old files are; empty: nothing was changed in place.
  std::string kept_in;
};

// Gives the sstables of `dir` new filters; directories below it are not gone
// into.
// NotFound, PermissionDenied, IoError: it cannot be read or written.
// InvalidArgument: a choice that the engine does not have.
// NotSupported: a feature that is not understood, which is named.
// ResourceExhausted: there is not enough space, or memory.
// AlreadyExists: old files of an earlier rebuild are kept.
// Corruption: the manifest is damaged.
// In all these cases the database is as it was.
TAMIS_EXPORT Result<RebuildReport> RebuildFilters(
    const std::string& dir, const RebuildOptions& options);

// What UndoRebuild() has brought back.
struct UndoReport {
  std::vector<std::string> files;  // names of files that are there again
  std::vector<std::string> notes;  // what was left alone, and why
};

// Brings the old files back, and removes kRebuildDirectory.
// NotFound: none are kept.  NotSupported: the engine has changed the database
// since; nothing was changed.
TAMIS_EXPORT Result<UndoReport> UndoRebuild(const std::string& dir,
                                            Env* env = &DefaultEnv());

}  // namespace tamis
