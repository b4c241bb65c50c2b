// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as one of Parquet's split-block Bloom filters, of either
// form.

#include "formats/parquet/sbbf.h"
#include "fuzz/fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const tamis::Slice input = tamis::fuzz::AsSlice(data, size);
  const auto policy = tamis::NewParquetPolicy(
      {.bits_per_key = 10, .rate = 0, .bits = 0, .probes = 0});
  tamis::fuzz::CheckOpen(*policy, input);
  tamis::fuzz::Check(!tamis::fuzz::CheckBuild(*policy, input).empty(),
                     "a small filter can be built");
  return 0;
}
