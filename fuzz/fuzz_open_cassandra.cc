// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a Cassandra Filter.db of every era.

#include "fuzz/fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  for (const char* spec : {"cassandra:hf", "cassandra:ka", "cassandra:me",
                           "cassandra:oa,sizing=textbook"}) {
    tamis::fuzz::CheckDoor(spec, tamis::fuzz::AsSlice(data, size));
  }
  return 0;
}
