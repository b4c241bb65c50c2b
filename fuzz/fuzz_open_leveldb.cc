// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as one of LevelDB's Bloom filters.

#include "fuzz/fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  tamis::fuzz::CheckDoor("leveldb:10", tamis::fuzz::AsSlice(data, size));
  return 0;
}
