// SPDX-License-Identifier: Apache-2.0
// table/table_binding.h -- a checksum by which a filter that is stored beside a
// table recognises the table.  docs/formats/filter-file.md defines it.

#pragma once

#include <cstdint>

#include "table/compression.h"
#include "table/footer.h"
#include "table/table_index.h"
#include "tamis/env.h"
#include "tamis/result.h"

namespace tamis {

// Which of the data blocks are part of a binding.
enum class BoundBlocks {
  kSome,  // at most 16: tells a table from most others
  kAll,   // tells it from every other one; reads in every part of the file
};

// Returns a checksum of the footer and of checksums that the table stores: of
// its index, its metaindex, the blocks that this names, and data blocks.  Reads
// a few bytes of each, and verifies none of them.
// An error: a part cannot be read.
Result<std::uint32_t> ReadTableBinding(const ReadableFile& file,
                                       const Footer& footer,
                                       const TableIndex& index,
                                       const UnpackLimits& limits,
                                       BoundBlocks blocks);

}  // namespace tamis
