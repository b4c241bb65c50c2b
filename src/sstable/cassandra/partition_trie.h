// SPDX-License-Identifier: Apache-2.0
// sstable/cassandra/partition_trie.h -- the trie of Partitions.db: where in
// Rows.db or Data.db each partition is.

#pragma once

#include <cstdint>
#include <functional>

#include "tamis/env.h"
#include "tamis/result.h"

namespace tamis {

struct PartitionPlace {
  std::uint64_t position = 0;
  bool is_in_rows = false;  // of Rows.db; otherwise of Data.db
};

// The last bytes of Partitions.db.
struct PartitionTrieFooter {
  std::uint64_t keys = 0;
  std::uint64_t root = 0;

  // Corruption: there is none, or its root is not within the file.
  static Result<PartitionTrieFooter> Read(const ReadableFile& file);
};

// Calls `take` for every partition, in order, until it returns false.  Visits
// each node at most as often as there are bytes, whatever the bytes are.
// Corruption: a node is damaged; the message names its offset.
Status ForEachPartition(const ReadableFile& file,
                        const PartitionTrieFooter& footer,
                        const std::function<bool(const PartitionPlace&)>& take);

}  // namespace tamis
