// SPDX-License-Identifier: Apache-2.0
// sstable/rocksdb/index_builder.h -- writes an index of RocksDB: of the
// partitions of a filter, or of those of the index.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sstable/rocksdb/entries.h"
#include "table/footer.h"
#include "tamis/slice.h"

namespace tamis {

// Every entry is a restart, with a whole separator and a whole handle: blocks
// need not follow each other.
class RocksDbIndexBuilder {
 public:
  // As the properties of the table say.  REQUIRES: there are no first keys
  explicit RocksDbIndexBuilder(RocksDbIndexCoding coding) : coding_(coding) {}

  // REQUIRES: the separators are in order, each as the table's index has it
  void Add(Slice separator, const BlockHandle& handle);
  // Returns the contents of the block, which the builder then lacks.
  std::string Finish();

 private:
  RocksDbIndexCoding coding_;
  std::string bytes_;
  std::vector<std::uint32_t> restarts_;
};

}  // namespace tamis
