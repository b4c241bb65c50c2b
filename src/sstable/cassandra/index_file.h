// SPDX-License-Identifier: Apache-2.0
// sstable/cassandra/index_file.h -- Index.db: every partition key, in order of
// tokens.

#pragma once

#include <cstdint>
#include <functional>

#include "tamis/env.h"
#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// How the bytes after a key are encoded.
enum class CassandraIndexForm {
  kPosition,          // up to hf: a position
  kFixedPromoted,     // ia to lb: a position, and a promoted index
  kVariablePromoted,  // from ma on: the same, in variable lengths
};

// Calls `take` with each key and the offset of its entry, until it returns
// false.  Reads the file in pieces, and no promoted index.  Corruption: an
// entry is cut off or impossible; the message names its offset, and what
// follows cannot be read.
Status ForEachIndexEntry(
    const ReadableFile& file, CassandraIndexForm form,
    const std::function<bool(Slice key, std::uint64_t offset)>& take);

}  // namespace tamis
