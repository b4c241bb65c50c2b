// SPDX-License-Identifier: Apache-2.0
// peers/ldb_file.h -- a LevelDB table file taken apart without LevelDB, by
// nothing but its own bytes.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/filter.h"

namespace tamis::testing {

// Where a block lies in the file, its trailer of 5 bytes not counted.
struct LdbHandle {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};
inline constexpr std::uint64_t kLdbTrailerBytes = 5;

struct LdbDataBlock {
  LdbHandle handle;
  bool is_compressed = false;
  // One per entry, in order: internal keys without their last 8 bytes.  A key
  // stored in several versions stands here as often.
  std::vector<std::string> user_keys;
};

struct LdbTable {
  LdbHandle metaindex;
  LdbHandle index;
  std::string filter_entry;  // its name in the metaindex
  LdbHandle filter;
  std::string filter_block;
  std::vector<LdbDataBlock> blocks;

  // Where the last data block's trailer ends.
  std::uint64_t data_end() const;
  std::uint64_t entry_count() const;
};

// Corruption: not such a table, a block whose checksum is wrong, or a
// metaindex with anything but one filter.
Result<LdbTable> ParseLdb(Slice file);

// The same table with another filter block: data and index as they were, a
// new metaindex and footer.  REQUIRES: `table` is ParseLdb(file), and its
// filter follows the data.
std::string WithFilterBlock(Slice file, const LdbTable& table,
                            Slice filter_block);

}  // namespace tamis::testing
