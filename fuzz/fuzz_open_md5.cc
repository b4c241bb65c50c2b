// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a filter of the MD5 format.

#include "fuzz/fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  tamis::fuzz::CheckDoor("md5:10", tamis::fuzz::AsSlice(data, size));
  return 0;
}
