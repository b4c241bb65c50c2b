// SPDX-License-Identifier: Apache-2.0
// tamis/store_tables.h -- the tables of a store, and how each was written.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/result.h"
#include "tamis/store_options.h"

namespace tamis {

// One table of a store.
struct StoreTable {
  int level = 0;                  // 0: overlaps others
  std::uint64_t file_number = 0;  // names its file: "000005.ldb"
  std::uint64_t bytes = 0;        // the length of its file
  std::string smallest;           // its first key
  std::string largest;            // its last key
  // What the table itself stores; LevelDB's tables store less than ours.
  std::optional<std::uint64_t> keys;
  // The same or, if the table does not say, an estimate from its first entries.
  std::uint64_t estimated_keys = 0;
  std::uint64_t filter_bytes = 0;  // of its filter, in memory
  std::uint64_t filter_keys = 0;   // in it, prefixes included; 0: unknown
  std::string filter;      // "bloom", "ribbon", "leveldb", ...; empty: none
  double filter_rate = 1;  // its expected rate of false positives
  // Its filter is in a file beside the table (tamis/filter_files.h), rather
  // than in it.
  bool has_filter_file = false;
  // The name of the extractor whose prefixes its filter has, too
  // (tamis/prefix.h); empty: it has none.
  std::string prefix_extractor;
  std::string compression;  // "none", "snappy", "zstd"; "mixed"; empty: unknown
  // Empty, or why the table or its filter could not be read.
  std::string problem;
};

// Reads the manifest, and the index and filter of each table.  Returns tables
// by level, and within a level by number.  Writes nothing, and takes no lock:
// if the store is open, a table may be removed before it is read, and is then
// left out.
// NotFound: there is no store.  Corruption: the manifest cannot be read.
// ResourceExhausted: no memory is left.
TAMIS_EXPORT Result<std::vector<StoreTable>> ListStoreTables(
    const std::string& dir, const StoreOptions& options = {});

}  // namespace tamis
