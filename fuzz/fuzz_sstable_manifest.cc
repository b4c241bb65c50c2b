// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a manifest of LevelDB or RocksDB.

#include "fuzz/fuzz_support.h"
#include "sstable/manifest.h"

namespace tamis::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const LevelManifest manifest = ParseLevelManifest(AsSlice(data, size));
  std::size_t bytes = 0;
  for (const auto& [number, table] : manifest.tables) {
    Check(table.level >= 0 && table.level <= 255, "a level is a small number");
    bytes += table.smallest.size() + table.largest.size();
  }
  Check(bytes <= size, "no key is invented");
  return 0;
}

}  // namespace tamis::fuzz
