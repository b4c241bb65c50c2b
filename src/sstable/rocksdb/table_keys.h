// SPDX-License-Identifier: Apache-2.0
// sstable/rocksdb/table_keys.h -- every key of a table of RocksDB, read through
// its index, where nothing may be damaged.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sstable/rocksdb/table.h"
#include "tamis/env.h"
#include "tamis/status.h"

namespace tamis {

// An index block that the top of a two-level index names.
struct RocksDbIndexPartition {
  std::string separator;  // as it is stored
  BlockHandle handle;
};

// What a walk through all data blocks has found.
struct RocksDbTableKeys {
  std::uint64_t entries = 0;
  std::uint64_t data_end = 0;  // of the last data block and its trailer
  std::vector<RocksDbIndexPartition> index_partitions;  // of a two-level index
};

// Takes the user keys of a data block, at least one, and the block's separator
// as the index has it.
using RocksDbBlockVisit =
    std::function<Status(std::span<const Slice> keys, Slice separator)>;

// Corruption: a block is damaged, or not after the one before, keys are not in
// order, or the number of entries is not that of the properties.  NotSupported:
// a block's compression. Or what `visit` returns.  Messages name the offset.
// REQUIRES: WhyNotComparable() is empty for the table's comparator
Status WalkTableKeys(const RocksDbTable& table, const ReadableFile& file,
                     const RocksDbBlockVisit& visit, RocksDbTableKeys* keys);

}  // namespace tamis
