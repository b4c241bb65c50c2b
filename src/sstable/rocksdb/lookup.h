// SPDX-License-Identifier: Apache-2.0
// sstable/rocksdb/lookup.h -- one key in the data of a table of RocksDB.

#pragma once

#include "sstable/rocksdb/filter.h"
#include "sstable/rocksdb/table.h"
#include "tamis/result.h"
#include "tamis/sstable.h"

namespace tamis {

// As Sstable::Find(); errors name the offset.
Result<StoredEntry> FindInRocksDbTable(const RocksDbTable& table,
                                       const ReadableFile& file,
                                       RocksDbOrder order, Slice user_key);

}  // namespace tamis
