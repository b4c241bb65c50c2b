// SPDX-License-Identifier: Apache-2.0
// store/table_parts.h -- where the parts of a table lie in its file, for tests
// that damage them.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/crc32c.h"
#include "table/footer.h"
#include "table/table_meta.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {

struct PartPlaces {
  Footer footer;
  BlockHandle own_filter;      // size 0: there is none
  BlockHandle filter_top;      // of one in parts; size 0: there is none
  BlockHandle leveldb_filter;  // size 0: there is none
  BlockHandle block_filter;    // size 0: there is none
  BlockHandle range_filter;    // size 0: there is none
};

// REQUIRES: the file is a table that is not damaged
inline PartPlaces PartsOf(MemoryEnv* env, const std::string& path) {
  PartPlaces parts;
  const auto file = env->OpenReadable(path, true);
  if (!file.ok()) {
    ADD_FAILURE() << file.status().ToString();
    return parts;
  }
  const Slice bytes = file->mapped();
  const Result<Footer> footer =
      ParseFooter(bytes.substr(bytes.size() - kFooterBytes), bytes.size());
  if (!footer.ok()) {
    ADD_FAILURE() << footer.status().ToString();
    return parts;
  }
  parts.footer = *footer;
  std::vector<MetaEntry> entries;
  EXPECT_TRUE(ReadMetaindex(**file, *footer, &entries).ok());
  for (const MetaEntry& entry : entries) {
    if (entry.name == kBlockFilterMeta) parts.block_filter = entry.handle;
    if (entry.name == kRangeFilterMeta) parts.range_filter = entry.handle;
    if (entry.name == kLevelDbFilterMeta) parts.leveldb_filter = entry.handle;
    if (entry.name == kFilterPartsMeta) parts.filter_top = entry.handle;
    if (entry.name.starts_with(kWholeFilterMeta)) {
      parts.own_filter = entry.handle;
    }
  }
  return parts;
}

// Makes the checksum of an uncompressed block fit its bytes again.
inline void Reseal(std::string* table, const BlockHandle& block) {
  const Slice covered = Slice(*table).substr(block.offset, block.size + 1);
  StoreLittle(table->data() + block.offset + block.size + 1,
              MaskCrc32c(Crc32c(covered)));
}

}  // namespace tamis::testing
