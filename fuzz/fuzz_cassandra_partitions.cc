// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a Partitions.db.

#include "fuzz/bytes_file.h"
#include "fuzz/fuzz_support.h"
#include "sstable/cassandra/partition_trie.h"

namespace tamis::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const BytesFile file(AsSlice(data, size), false);
  const auto footer = PartitionTrieFooter::Read(file);
  if (!footer.ok()) {
    Check(footer.status().message().starts_with("offset "),
          "damage has an offset");
    return 0;
  }
  std::uint64_t places = 0;
  const Status read = ForEachPartition(file, *footer, [&](const auto&) {
    ++places;
    return true;
  });
  Check(places <= size, "no more places than bytes");
  Check(read.ok() || read.message().starts_with("offset "),
        "damage has an offset");
  return 0;
}

}  // namespace tamis::fuzz
