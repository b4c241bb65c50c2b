// SPDX-License-Identifier: Apache-2.0
// The first half of the input as a CompressionInfo.db, the second as the
// Data.db that it describes.

#include "fuzz/bytes_file.h"
#include "fuzz/fuzz_support.h"
#include "sstable/cassandra/compressed_data.h"

namespace tamis::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  const Slice head = bytes.substr(0, size / 2);
  const BytesFile file(bytes.substr(size / 2), false);
  for (const auto era : {CassandraEra::kMurmur3, CassandraEra::kNativeOrder}) {
    auto info = CassandraCompression::Parse(era, head);
    if (!info.ok()) {
      Check(info.status().message().starts_with("offset "),
            "damage has an offset");
      continue;
    }
    Check(info->offsets.size() <= size, "no chunk is invented");
    CassandraData reader(file, *std::move(info));
    for (const unsigned at : {0u, 1u, 100u, 70000u}) {
      const auto read = reader.Read(at, 300);
      Check(!read.ok() || read->size() == 300, "all or nothing");
    }
  }
  return 0;
}

}  // namespace tamis::fuzz
