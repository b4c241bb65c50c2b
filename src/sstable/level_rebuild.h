// SPDX-License-Identifier: Apache-2.0
// sstable/level_rebuild.h -- what an engine whose tables are on levels
// (LevelDB, RocksDB) provides for new filters.
//
// The transaction is common to both (sstable/rebuild_levels.cc): every new
// table gets a new file number, a new manifest names the new tables instead of
// the old ones, and renaming CURRENT switches to it.  An engine writes the
// tables and the manifest, and knows what it must refuse.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/env.h"
#include "tamis/result.h"
#include "tamis/slice.h"
#include "tamis/sstable.h"
#include "tamis/sstable_rebuild.h"

namespace tamis {

// One table that is to be written again with a new filter.
struct TableJob {
  Env& env;
  const FoundSstable& found;    // the old table: `path` is its file
  const SstableInfo& info;      // of the old table
  const RebuildChoice& choice;  // as requested
  std::string new_path;         // of the new table, which does not exist yet
};

// A new table, for the manifest.
struct NewTable {
  std::uint64_t old_number = 0;
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;  // of the file
  // True: its bytes are those of the old table, and only the number is new;
  // what follows is not set.
  bool is_copy = false;
  // RocksDB: from the end of the data blocks to the end of the file.
  std::uint64_t tail_bytes = 0;
  // RocksDB: CRC-32C of the whole file, not masked.
  std::uint32_t crc32c = 0;
};

// What a new manifest changes.
struct NewManifestPlan {
  std::vector<NewTable> tables;
  std::uint64_t number = 0;            // of the manifest
  std::uint64_t next_file_number = 0;  // above all numbers that are used
};

class LevelRebuilder {
 public:
  virtual ~LevelRebuilder() = default;

  // Checks the directory and the choice before anything else; writes nothing.
  // NotSupported: the database has a feature that is not understood, which is
  // named (blob files, several paths).  InvalidArgument: the engine does not
  // have such filters.
  virtual Status CheckDatabase(Env& env, const std::string& dir,
                               const RebuildChoice& choice) = 0;

  // Checks one table; writes nothing, and reads no data blocks.
  // NotSupported, Corruption: it has to stay as it is, for this reason.
  virtual Status CheckTable(Env& env, const FoundSstable& found,
                            const RebuildChoice& choice) = 0;

  // Writes job.new_path, synced and closed, and sets what *table has but the
  // numbers.  Corruption: a key could not be read: the table has to stay as it
  // is.  NotSupported: likewise.  Other errors end the whole rebuild.
  // The caller reads the new table back, and queries its filter for every key.
  virtual Status WriteTable(const TableJob& job, NewTable* table) = 0;

  // Returns the bytes of a manifest that has the state of `old_manifest`, with
  // the new tables in place of the old ones.  Corruption, NotSupported: not all
  // of the old one is understood.
  virtual Result<std::string> NewManifest(Slice old_manifest,
                                          const NewManifestPlan& plan) = 0;

  // The name of a table: "000007.ldb", "000007.sst".
  virtual std::string TableName(std::uint64_t number) const = 0;
};

// Each is in its engine's folder, in rebuild.cc.
std::unique_ptr<LevelRebuilder> NewLevelDbRebuilder();
std::unique_ptr<LevelRebuilder> NewRocksDbRebuilder();

}  // namespace tamis
