// SPDX-License-Identifier: Apache-2.0
// peers/rebuild.h -- a table's filter block made anew, and asked.

#pragma once

#include <string>

#include <gtest/gtest.h>

#include "formats/leveldb/filter_block.h"
#include "tests/peers/ldb_file.h"
#include "tests/support/golden.h"

namespace tamis::testing {

// What our builder makes of the table's keys and of where its blocks lie.
inline std::string RebuildFilterBlock(const LdbTable& table,
                                      const FilterPolicy& policy) {
  LevelDbFilterBlockBuilder builder(policy);
  for (const LdbDataBlock& block : table.blocks) {
    EXPECT_TRUE(builder.StartBlock(block.handle.offset).ok());
    for (const std::string& key : block.user_keys) builder.AddKey(key);
  }
  EXPECT_TRUE(builder.StartBlock(table.data_end()).ok());
  std::string filter_block;
  EXPECT_TRUE(builder.Finish(&filter_block).ok());
  return filter_block;
}

// Asks every key at its own data block.
inline void ExpectEveryKeyIsFound(const LdbTable& table, Slice filter_block) {
  const LevelDbFilterBlockReader reader(filter_block);
  ASSERT_EQ(reader.damage(), "");
  for (const LdbDataBlock& block : table.blocks) {
    for (const std::string& key : block.user_keys) {
      ASSERT_TRUE(reader.MayContain(block.handle.offset, key))
          << ToHex(key) << " at " << block.handle.offset;
    }
  }
}

}  // namespace tamis::testing
