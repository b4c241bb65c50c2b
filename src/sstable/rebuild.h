// SPDX-License-Identifier: Apache-2.0
// sstable/rebuild.h -- what rebuilds of every engine have in common.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sstable/engine.h"
#include "tamis/result.h"
#include "tamis/sstable_rebuild.h"

namespace tamis {

// One call of RebuildFilters().
struct RebuildRun {
  Env& env;
  std::string dir;  // without '/' at the end
  const RebuildOptions& options;
  std::string_view engine;
  RebuildReport report = {};

  bool is_in_place() const noexcept { return options.out_directory.empty(); }
};

// Lists the files and sstables of the directory, in run.env.
Result<DirectoryFiles> FilesOf(Env& env, const std::string& dir);
SstableListing ListingOf(const DirectoryFiles& files);

// True: the options choose that sstable.
bool IsChosen(const RebuildOptions& options, const SstableInfo& info);

// True: an sstable with that error stays as it is, and others can go on.
constexpr bool IsAboutOneSstable(StatusCode code) noexcept {
  return code == StatusCode::kCorruption || code == StatusCode::kNotSupported;
}

// What a walk through all keys of an sstable has seen.
struct SeenKeys {
  std::uint64_t keys = 0;
  std::uint32_t crc = 0;  // of all keys with their lengths, in order
  bool all_admitted = true;

  bool HasSameKeysAs(const SeenKeys& other) const noexcept {
    return keys == other.keys && crc == other.crc;
  }
};

// Corruption: some key cannot be read.  NotSupported: none can.
Result<SeenKeys> SeeKeys(const Sstable& sstable);

// Creates the directory for new files.  AlreadyExists: it has files.
Status MakeOutDirectory(Env& env, const std::string& dir);

// NotSupported: another process has a file of the directory open, as far as
// that can be told.  For engines that lock nothing.
Status CheckNotOpen(Env& env, const std::string& dir);

// Fill run->report.
Status RebuildLevels(RebuildRun* run);
Status RebuildCassandra(RebuildRun* run);

}  // namespace tamis
