// SPDX-License-Identifier: Apache-2.0
// formats/parquet/header.h -- the header of Parquet's split-block Bloom filter;
// see docs/formats/parquet.md.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tamis/filter.h"

namespace tamis {

inline constexpr std::uint64_t kParquetBlockBytes = 32;

// The contents of a header.  Its size fields are not yet checked against the
// bytes that follow it.
struct ParquetHeader {
  std::size_t header_bytes = 0;
  std::int64_t bitset_bytes = 0;  // as stored: may be anything
  // Not empty: an unknown algorithm, hash or compression.  The bits must not be
  // probed, and bitset_bytes may mean something else.
  std::string reserved;
};

// Parses the Thrift struct BloomFilterHeader at the front of `bytes`, in any
// encoding of its fields.  Corruption: it is missing, or lacks a field.
Result<ParquetHeader> ParseParquetHeader(Slice bytes);

// The obsolete form, from before the Thrift header existed.  No Thrift header
// looks like it; see IsObsoleteParquet().
inline constexpr std::size_t kObsoleteParquetHeaderBytes = 12;
Result<ParquetHeader> ParseObsoleteParquetHeader(Slice bytes);

// The obsolete header starts with the lowest byte of a multiple of 32, whose
// low four bits are 0; in Thrift that is a struct without fields.
bool IsObsoleteParquet(Slice bytes) noexcept;

// Ok if the bits can be probed, given that `available` bytes follow the
// header.  Corruption: not whole blocks, or more than available.
Status CheckParquetBitset(const ParquetHeader& header, std::uint64_t available);

// The encoding that every writer uses, and its length: 15 to 19 bytes.
// REQUIRES: bitset_bytes < 2^31; for Store, that many bytes at `out`
std::size_t ParquetHeaderBytes(std::uint64_t bitset_bytes) noexcept;
void StoreParquetHeader(char* out, std::uint64_t bitset_bytes) noexcept;
void StoreObsoleteParquetHeader(char* out, std::uint64_t bitset_bytes) noexcept;

}  // namespace tamis
