// SPDX-License-Identifier: Apache-2.0
// chain_codec.h -- the bytes of a chain's description: what precedes the stream
// of its filters in RDB files, DUMP and SCANDUMP.
//
//   offset size
//        0    1  version, 1
//        1    1  kind, as ChainKind
//        2    2  generations of a filter whose items expire; 0: they do not
//        4    4  expansion
//        8    8  rate of false positives, an IEEE 754 double
//       16    8  capacity of the first filter
//       24    4  bucket size
//       28    4  maximum of iterations
//       32    8  number of erasures
//       40    4  number of filters
//       44  16n  for each: capacity, 8 bytes; bytes of its .tamis file, 8 bytes
//   44+16n    8  FNV-1a, 64 bits, of all before it
//
// All numbers are little-endian.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "filter_chain.h"

namespace tamis {

struct ChainDescription {
  struct Filter {
    std::uint64_t capacity = 0;
    std::uint64_t bytes = 0;
  };

  ChainParameters parameters;
  std::uint64_t erased = 0;
  std::vector<Filter> filters;
};

// Returns the number in that many bytes, little-endian.
std::uint64_t LoadNumber(const char* from, std::size_t bytes) noexcept;

std::string EncodeDescription(const ChainDescription& description);

// Returns whether it is a description of 1 to max_filters filters, as written
// by EncodeDescription().
bool DecodeDescription(std::string_view bytes, std::size_t max_filters,
                       ChainDescription* description);

}  // namespace tamis
