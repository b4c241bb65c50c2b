// SPDX-License-Identifier: Apache-2.0
// sstable/manifest.h -- which tables a database of LevelDB or RocksDB has, and
// on which levels, according to its manifest.
//
// RocksDB's manifest extends LevelDB's: the framing is the same, and LevelDB's
// tags keep their meaning.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tamis/env.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// A live table.
struct ManifestTable {
  int level = 0;
  std::uint64_t bytes = 0;
  std::uint32_t family = 0;   // RocksDB's column family
  std::uint32_t path_id = 0;  // 0: it is beside the manifest
  std::string smallest;       // internal keys
  std::string largest;
  std::uint64_t largest_sequence = 0;  // RocksDB's; 0: not recorded

  friend bool operator==(const ManifestTable&, const ManifestTable&) = default;
};

struct LevelManifest {
  std::map<std::uint64_t, ManifestTable> tables;  // by file number
  std::map<std::uint32_t, std::string> families;  // by id; none in LevelDB
  std::string comparator;                         // of the default family
  bool has_blob_files = false;
  std::uint64_t next_file_number = 0;  // as last recorded
  // Empty, or what was skipped: the levels may be wrong.
  std::string damage;
};

// Parses the contents of a manifest.  Never fails: damage is skipped and
// reported.  Takes memory in proportion to the contents.
LevelManifest ParseLevelManifest(Slice contents);

// Reads the manifest that CURRENT names.  NotFound: there is no CURRENT.
// Every message names the file.
Result<LevelManifest> ReadLevelManifest(const std::string& dir,
                                        Env& env = DefaultEnv());

}  // namespace tamis
