// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as an Index.db of each form.

#include "fuzz/bytes_file.h"
#include "fuzz/fuzz_support.h"
#include "sstable/cassandra/index_file.h"

namespace tamis::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const BytesFile file(AsSlice(data, size), false);
  for (const auto form :
       {CassandraIndexForm::kPosition, CassandraIndexForm::kFixedPromoted,
        CassandraIndexForm::kVariablePromoted}) {
    std::uint64_t bytes = 0;
    std::uint64_t last = 0;
    bool is_first = true;
    const Status read =
        ForEachIndexEntry(file, form, [&](Slice key, std::uint64_t offset) {
          Check(is_first || offset > last, "entries follow each other");
          is_first = false;
          last = offset;
          bytes += key.size();
          return true;
        });
    Check(bytes <= size, "no key is invented");
    Check(read.ok() || read.message().starts_with("offset "),
          "damage has an offset");
  }
  return 0;
}

}  // namespace tamis::fuzz
