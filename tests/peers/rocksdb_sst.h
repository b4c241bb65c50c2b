// SPDX-License-Identifier: Apache-2.0
// peers/rocksdb_sst.h -- a RocksDB block-based table (format versions 2 to 7)
// taken apart without RocksDB, by nothing but its own bytes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tamis/filter.h"
#include "tests/peers/rocksdb_block.h"

namespace tamis::testing {

inline constexpr std::size_t kSstFooterBytes = 53;

struct SstFilter {
  SstHandle handle;
  std::string bytes;
  // Partitions: no key above it is in this one; internal keys if the table's
  // separators are.  Empty for the only filter of a table.
  std::string separator;
};

struct SstTable {
  std::uint32_t format_version = 0;
  SstSeal seal;
  SstHandle metaindex;
  SstHandle index;
  std::map<std::string, SstHandle> metaindex_rows;
  std::map<std::string, std::string> properties;  // values as stored
  bool is_partitioned = false;
  bool has_user_key_separators = false;
  // One for the table, or its partitions in order; none if it has no filter.
  std::vector<SstFilter> filters;
  // Every block whose checksum was looked at.
  std::vector<SstHandle> blocks;
  // One per data row, in order, each with its last 8 bytes.
  std::vector<std::string> internal_keys;
  // False: some data or index is compressed by means that ReadSstBlock()
  // lacks, so `internal_keys` (and, if it was an index, `blocks`) misses rows.
  bool has_all_rows = true;

  // A property that is a varint; 0 if the table has none of that name.
  std::uint64_t NumberProperty(const std::string& name) const;

  // Which filter to ask about a user key.  REQUIRES: there is one
  const SstFilter& FilterFor(Slice user_key) const;
};

inline Slice UserKeyOf(Slice internal_key) {
  return internal_key.substr(0, internal_key.size() - 8);
}

// RocksDB's order of internal keys: user keys upwards, and of equal ones the
// newest first.
bool IsInternalKeyAbove(Slice a, Slice b);

// Corruption: not such a table, or a checksum is wrong.
Result<SstTable> ParseSst(Slice file);

// The same file with other bytes in the place of filters[which], sealed anew.
// REQUIRES: `table` is ParseSst(file), and the sizes are equal
std::string WithFilter(Slice file, const SstTable& table, std::size_t which,
                       Slice bytes);

}  // namespace tamis::testing
