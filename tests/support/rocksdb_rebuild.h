// SPDX-License-Identifier: Apache-2.0
// support/rocksdb_rebuild.h -- rebuilds the filters of a database of RocksDB as
// a whole, without care for crashes.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "sstable/rocksdb/rebuild_manifest.h"
#include "sstable/rocksdb/rebuild_table.h"

namespace tamis::testing {

// Rebuilds one table.  A failure fails the running test.
struct RebuiltFile {
  std::string bytes;  // empty: it failed
  std::uint64_t kept_bytes = 0;
  RocksDbRebuiltTable record;  // without a number
  Status status;
};
RebuiltFile RebuildFile(const std::string& path,
                        const RocksDbNewFilter& filter);

enum class TableNumbers { kSame, kNew };

// Rebuilds every table that the manifest names, writes the new manifest and
// lets CURRENT name it.  A failure fails the running test.
void RebuildDatabase(const std::string& dir, const RocksDbNewFilter& filter,
                     TableNumbers numbers = TableNumbers::kSame);

// The path of the manifest that CURRENT names.
std::string ManifestPath(const std::string& dir);

// The path of a table.
std::string TablePath(const std::string& dir, std::uint64_t number);

}  // namespace tamis::testing
