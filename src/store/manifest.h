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

// The state that results from all edits of a manifest.
struct ManifestState {
  std::string comparator;
  std::uint64_t log_number = 0;
  std::uint64_t previous_log_number = 0;
  std::uint64_t next_file_number = 0;
  Sequence last_sequence = 0;
  // True: this version wrote the log number, not LevelDB or an older version:
  // so this log and later ones have the metadata of store/log_markers.h.
  bool logs_are_ours = false;
  std::array<std::string, kStoreLevels> compact_pointers;
  std::array<std::vector<FileMetadata>, kStoreLevels> files;
  // All tables that it ever named, live or removed since.
  std::set<std::uint64_t> named;

  std::uint64_t number = 0;  // of the manifest file itself
  std::uint64_t end = 0;     // of its last complete record
};

// Checks the gap before the current record.  Every edit is synced, and leaves
// no more space before it than is needed to keep it in one piece.  Corruption:
// an edit is missing.
Status CheckNoneMissing(const LogReader& reader);

// Applies edits one after the other.
class ManifestReplay {
 public:
  // Corruption: a file number is too large; nothing was applied.  `is_ours`:
  // the record was recognised as ours by its start, LogReader::began_empty().
  Status Apply(const VersionEdit& edit, bool is_ours);
  // True: the edits have set the log, the next file number and the last
  // sequence.
  bool says_all() const noexcept {
    return says_log_number_ && says_next_file_number_ && says_last_sequence_;
  }
  // Returns the state so far, without `end`; `number` is that of the manifest.
  ManifestState State(std::uint64_t number) const;

 private:
  std::array<std::map<std::uint64_t, FileMetadata>, kStoreLevels> levels_;
  ManifestState state_;
  bool says_log_number_ = false;
  bool says_next_file_number_ = false;
  bool says_last_sequence_ = false;
};

// Reads the contents of the manifest of that number.  Corruption: not all of it
// is understood.
Result<ManifestState> ParseManifest(Slice contents, std::uint64_t number);

// Reads the manifest that CURRENT names.  NotFound: there is no CURRENT, so no
// store.  Corruption: the message names the file.
Result<ManifestState> ReadManifest(Env& env, const std::string& dir);

// Calls `take` for what can be read of each record of a manifest, except
// damaged ones.  Only the start of a very long manifest is read, and nothing of
// an unreadable one.
void ForEachEditPrefix(Env& env, const std::string& path,
                       const std::function<void(const EditPrefix&)>& take);

// Returns an edit that creates this state from nothing.
VersionEdit FullEdit(const ManifestState& state);

// Appends edits to a manifest.  Not thread-safe.
//
// Edits are never appended to a manifest of another process.  Its last edits
// may be only in the system's memory: that process was killed before it synced
// them, or their sync failed, and then no later sync would write them.  So
// their state is written again, into a new manifest, before anything is removed
// because of it.
class Manifest {
 public:
  Manifest(Env& env, std::string dir) : env_(&env), dir_(std::move(dir)) {}

  // True: the next edit must be a whole state, to Start(): there is no
  // manifest of ours yet, or writing to it has failed, or it has grown long.
  bool needs_start() const noexcept { return writer_ == nullptr; }
  // Starts a new manifest, and makes CURRENT name it.
  Status Start(std::uint64_t number, const VersionEdit& full);
  // Uses the manifest that was read until Start().
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
