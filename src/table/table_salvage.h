// SPDX-License-Identifier: Apache-2.0
// table/table_salvage.h -- what can still be read of a damaged table.

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
  std::uint64_t entries = 0;  // that were given
  std::uint64_t blocks = 0;   // of data that were read
  // Entries that were read and left out, for they do not come after those
  // before, or are not where the index looks for them.
  std::uint64_t out_of_order = 0;
  Sequence largest_sequence = 0;
  std::string smallest;  // internal keys
  std::string largest;
  std::vector<std::string> lost;  // sentences, without the name of the file
};

// What the manifest says of the table.
struct SalvageBounds {
  // The internal keys that it begins and ends with; empty: it does not say.
  std::string smallest;
  std::string largest;
  std::uint64_t file_bytes = 0;  // 0: it does not say
  // No entry of the table has a larger one.
  Sequence last_sequence = kMaxSequence;
};

using TakeEntry = std::function<Status(Slice internal_key, Slice value)>;

// Gives every entry that can be read to `take`, in order.  Each block is read
// for itself: by the index where that is whole, else the blocks are looked for
// (see table/block_scan.h), and only entries within `bounds` count.  Holds one
// block in memory at a time, and some MiB of the file.
//
// An entry in a block whose checksum is right was written to the table, with
// one exception: where the index and a block are lost, and the block held a
// value that is itself made of a table's blocks, these may be taken for the
// table's own if their keys and sequence numbers fit in between, and if the
// lost block was compressed or the length of that value is lost, too.  So the
// report says how many entries were found behind damage.
//
// Fails where `take` does, with what it returned; and where the file cannot be
// read for a reason that is no damage (see base/damage.h), or is longer than
// any table: ResourceExhausted.
Result<SalvageReport> SalvageTable(const TableReadContext& context,
                                   const ReadableFile& file,
                                   const SalvageBounds& bounds,
                                   const TakeEntry& take);

}  // namespace tamis
