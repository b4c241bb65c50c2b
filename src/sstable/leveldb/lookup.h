// SPDX-License-Identifier: Apache-2.0
// sstable/leveldb/lookup.h -- one key in the data of a table of LevelDB.

#pragma once

#include "table/block.h"
#include "tamis/env.h"
#include "tamis/result.h"
#include "tamis/sstable.h"

namespace tamis {

// As Sstable::Find(), of a table whose keys are in bytewise order; errors name
// the offset.
Result<StoredEntry> FindInLevelDbTable(const ReadableFile& file,
                                       const Block& index, Slice user_key);

}  // namespace tamis
