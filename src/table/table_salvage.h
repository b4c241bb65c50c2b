// SPDX-License-Identifier: Apache-2.0
// table/table_salvage.h -- reads what can still be read of a damaged table.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "table/internal_key.h"
#include "table/table_reader.h"
#include "tamis/env.h"
#include "tamis/result.h"

namespace tamis {

struct SalvageReport {
  std::uint64_t entries = 0;  // that were passed to `take`
  std::uint64_t blocks = 0;   // data blocks that were read
  // Entries that were read and left out, because they are out of order, or not
  // where the index looks for them.
  std::uint64_t out_of_order = 0;
  Sequence largest_sequence = 0;
  std::string smallest;  // internal keys
  std::string largest;
  std::vector<std::string> lost;  // sentences, without the name of the file
};

// What the manifest says about the table.
struct SalvageBounds {
  // Its first and last internal key; empty: unknown.
  std::string smallest;
  std::string largest;
  std::uint64_t file_bytes = 0;  // 0: unknown
  // No entry of the table has a larger one.
  Sequence last_sequence = kMaxSequence;
};

using TakeEntry = std::function<Status(Slice internal_key, Slice value)>;

// Passes every entry that can be read to `take`, in order.  Each block is read
// on its own: by the index if that is intact, otherwise the blocks are searched
// for (see table/block_scan.h), and only entries within `bounds` count.  Keeps
// one block in memory at a time, and some MiB of the file.
//
// An entry in a block whose checksum is right was written to the table, with
// one exception: if the index and a block are lost, and the block contained a
// value that itself consists of a table's blocks, these may be mistaken for the
// table's own if their keys and sequence numbers fit in between, and if the
// lost block was compressed or the length of that value is lost, too.  So the
// report says how many entries were found after damage.
//
// Fails if `take` does, with the same error; if the file cannot be read for a
// reason other than damage (see base/damage.h); or if it is longer than any
// table: ResourceExhausted.
Result<SalvageReport> SalvageTable(const TableReadContext& context,
                                   const ReadableFile& file,
                                   const SalvageBounds& bounds,
                                   const TakeEntry& take);

}  // namespace tamis
