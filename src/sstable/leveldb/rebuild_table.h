// SPDX-License-Identifier: Apache-2.0
// sstable/leveldb/rebuild_table.h -- a table of LevelDB or of a Tamis store
// with new filters and the same data blocks.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/named_lines.h"
#include "table/footer.h"
#include "table/table_meta.h"
#include "tamis/env.h"
#include "tamis/filter.h"
#include "tamis/prefix.h"
#include "tamis/sstable_rebuild.h"

namespace tamis {

// What a table has, and which filters it is to get.
struct LevelDbTablePlan {
  Footer footer;
  std::vector<MetaEntry> entries;     // of its metaindex
  std::vector<NamedLine> properties;  // of a table of Tamis
  // Not null: it gets such a filter.
  std::unique_ptr<const FilterPolicy> leveldb;
  std::unique_ptr<const FilterPolicy> whole;
  std::shared_ptr<const PrefixExtractor> prefixes;  // go into `whole`, too
};

// Reads no data blocks.  `dir` is that of the table.
// NotSupported: it has, or is to get, what is not understood, which is named.
// Corruption: it is damaged.  InvalidArgument: a size that no filter has.
Result<LevelDbTablePlan> PlanLevelDbTable(Env& env, const std::string& dir,
                                          const ReadableFile& file,
                                          const RebuildChoice& choice);

// Writes the new table to `to`: its data blocks at the same places, and after
// them the new filters, the other meta blocks and the index, each as it was.
// Returns its length.  Corruption: a block cannot be read.
Result<std::uint64_t> WriteLevelDbTable(const ReadableFile& file,
                                        const LevelDbTablePlan& plan,
                                        WritableFile* to);

}  // namespace tamis
