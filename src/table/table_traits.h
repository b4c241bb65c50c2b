// SPDX-License-Identifier: Apache-2.0
// table/table_traits.h -- how a table was written, according to its properties,
// or inferred without them.

#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/named_lines.h"
#include "table/footer.h"
#include "table/table_index.h"
#include "tamis/env.h"
#include "tamis/filter.h"
#include "tamis/store_options.h"

namespace tamis {

struct TableTraits {
  // The lines of tamis.properties; empty: it has none that can be read.
  std::vector<NamedLine> properties;
  // Filters that open.
  bool has_leveldb_filter = false;
  bool has_whole_filter = false;
  bool has_block_filter = false;
  bool has_range_filter = false;
  bool has_damaged_filter = false;   // a filter that does not
  std::optional<FilterInfo> filter;  // that one; only without properties
  // How its data blocks are stored, by Compression; only without properties.
  std::array<bool, 3> codecs{};
};

// `preferred` as in TableReadContext.  An error: the metaindex or a block
// cannot be read.
Result<TableTraits> ReadTableTraits(const ReadableFile& file,
                                    const Footer& footer,
                                    const TableIndex& index,
                                    const FilterPolicy* preferred);

}  // namespace tamis
