// SPDX-License-Identifier: Apache-2.0
// store/manifest.h -- the log of version edits: which tables a store has.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "store/log_reader.h"
#include "store/log_writer.h"
#include "store/version_edit.h"
#include "tamis/env.h"

namespace tamis {

// All that a manifest says, its edits applied one after the other.
struct ManifestState {
  std::string comparator;
  std::uint64_t log_number = 0;
  std::uint64_t previous_log_number = 0;
  std::uint64_t next_file_number = 0;
  Sequence last_sequence = 0;
  // We wrote which log it is, not LevelDB or an older version: so this log and
  // later ones have what store/log_markers.h tells of.
  bool logs_are_ours = false;
  std::array<std::string, kStoreLevels> compact_pointers;
  std::array<std::vector<FileMetadata>, kStoreLevels> files;
  // All tables that it ever named, live or removed since.
  std::set<std::uint64_t> named;

  std::uint64_t number = 0;  // of the manifest file itself
  std::uint64_t end = 0;     // of its last whole record
};

// Of the record that was read last.  Every edit is synced, and no more is left
// free before one than keeps it uncut: else there was another, Corruption.
Status CheckNoneMissing(const LogReader& reader);

// Edits one after the other.
class ManifestReplay {
 public:
  // Corruption: it names a file by a number that nobody can count on from;
  // then nothing was applied.  `is_ours`: the record was told to be so by how
  // it begins, LogReader::began_empty().
  Status Apply(const VersionEdit& edit, bool is_ours);
  // True: it was said which log, file number and sequence come next.
  bool says_all() const noexcept {
    return says_log_number_ && says_next_file_number_ && says_last_sequence_;
  }
  // The state so far, but for `end`; `number` is that of the manifest.
  ManifestState State(std::uint64_t number) const;

 private:
  std::array<std::map<std::uint64_t, FileMetadata>, kStoreLevels> levels_;
  ManifestState state_;
  bool says_log_number_ = false;
  bool says_next_file_number_ = false;
  bool says_last_sequence_ = false;
};

// The manifest that CURRENT names.  NotFound: there is no CURRENT, so no
// store.  Corruption: the message names the file.
Result<ManifestState> ReadManifest(Env& env, const std::string& dir);

// Calls `take` for what can be read of each record of a manifest, the damaged
// ones left out.  Of a very long manifest only the start is read, of one that
// cannot be read nothing.
void ForEachEditPrefix(Env& env, const std::string& path,
                       const std::function<void(const EditPrefix&)>& take);

// As an edit that makes this state from nothing.
VersionEdit FullEdit(const ManifestState& state);

// Appends edits to a manifest.  Not thread-safe.
//
// A manifest that another process wrote is never written on.  Its last edits
// may be in the system's memory only: that process was killed before it synced
// them, or their sync failed, and then no later one would write them.  So what
// they say is written again, into a new manifest, before anything is removed
// because of it.
class Manifest {
 public:
  Manifest(Env& env, std::string dir) : env_(&env), dir_(std::move(dir)) {}

  // True: the next edit must be a whole state, to Start(): there is no
  // manifest of ours yet, or writing to it has failed, or it has grown long.
  bool needs_start() const noexcept { return writer_ == nullptr; }
  // A new manifest, and CURRENT names it.
  Status Start(std::uint64_t number, const VersionEdit& full);
  // The one that was read is in force until Start().
  void Inherit(const ManifestState& state);
  // The edit is durable once this returns.
  Status Append(const VersionEdit& edit);

  std::uint64_t number() const noexcept { return number_; }
  // True: the manifest in force has named that table, live or removed since.
  bool HasNamed(std::uint64_t table) const { return named_.contains(table); }

 private:
  Env* env_;
  std::string dir_;
  std::unique_ptr<LogWriter> writer_;
  std::uint64_t number_ = 0;
  std::uint64_t start_bytes_ = 0;  // of the full edit it began with
  std::set<std::uint64_t> named_;
};

}  // namespace tamis
