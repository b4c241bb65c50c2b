// SPDX-License-Identifier: Apache-2.0
// peers/rocksdb_block.h -- blocks of a RocksDB table and how they are sealed,
// without RocksDB.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/filter.h"

namespace tamis::testing {

// Where a block lies in the file, its trailer of 5 bytes not counted.
struct SstHandle {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};
inline constexpr std::uint64_t kSstTrailerBytes = 5;

// The numbers are those of the footer.
enum class SstChecksum : unsigned char {
  kNone = 0,
  kCrc32c = 1,
  kXxh32 = 2,
  kXxh64 = 3,
  kXxh3 = 4,
};

// How the blocks of one file are sealed.
struct SstSeal {
  SstChecksum kind = SstChecksum::kNone;
  // Format versions from 6 on: goes into every checksum, with the block's
  // place in the file.  0: there is none.
  std::uint32_t context = 0;

  // What stands behind `summed` (contents and type, or a footer) at `offset`.
  std::uint32_t Sum(Slice summed, std::uint64_t offset) const;
};

struct SstRow {
  std::string key;
  std::string value;
};

struct SstIndexRow {
  std::string key;
  SstHandle handle;
};

// Takes a varint from the front of *in.  Corruption: there is none.
Result<std::uint64_t> TakeVarint(Slice* in);
Result<SstHandle> TakeHandle(Slice* in);

// The contents, decompressed.  Corruption: it lies outside the file or its
// checksum is wrong.  NotSupported: the checksum is right, but the block is
// compressed by other means than Snappy.
Result<std::string> ReadSstBlock(Slice file, const SstSeal& seal,
                                 const SstHandle& handle);

Result<std::vector<SstRow>> ReadRows(Slice contents);

// An index block; `is_delta_coded` as the table's properties say.
Result<std::vector<SstIndexRow>> ReadIndexRows(Slice contents,
                                               bool is_delta_coded);

}  // namespace tamis::testing
