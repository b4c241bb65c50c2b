// SPDX-License-Identifier: Apache-2.0
// sstable/rocksdb/footer.h -- the end of a block-based table of RocksDB, and
// how its blocks are protected by checksums; see docs/formats/rocksdb-table.md.

#pragma once

#include <cstdint>
#include <string>

#include "table/footer.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

inline constexpr std::size_t kRocksDbFooterBytes = 53;
inline constexpr std::uint64_t kRocksDbTableMagic = 0x88e241b785f4cff7;

// The numbers are those of the footer.
enum class RocksDbChecksum : unsigned char {
  kNone = 0,
  kCrc32c = 1,
  kXxh32 = 2,
  kXxh64 = 3,
  kXxh3 = 4,
};

// How the blocks of one file are protected.
struct RocksDbSeal {
  RocksDbChecksum kind = RocksDbChecksum::kNone;
  // From format version 6 on, enters every checksum together with the offset
  // of the block.  0: it does not.
  std::uint32_t context = 0;

  // Returns the checksum of these bytes at that offset of the file.
  std::uint32_t Sum(Slice covered, std::uint64_t offset) const noexcept;
};

struct RocksDbFooter {
  std::uint32_t version = 0;
  RocksDbSeal seal;
  BlockHandle metaindex;
  BlockHandle index;  // empty from version 6 on: the metaindex has it
};

// `bytes` are the last kRocksDbFooterBytes of a file of that length.
// Corruption: damaged.  NotSupported: a version other than 2 to 7, or an
// unknown kind of checksum.
Result<RocksDbFooter> ParseRocksDbFooter(Slice bytes, std::uint64_t file_bytes);

// Appends the footer that is at `offset` of its file.  REQUIRES: from version 6
// on, the metaindex and its trailer end there
void AppendRocksDbFooter(std::string* dst, const RocksDbFooter& footer,
                         std::uint64_t offset);

// Appends the compression type and the checksum to a block at `offset` of its
// file, whose contents are *block.
void AppendRocksDbBlockTrailer(std::string* block, unsigned compression,
                               const RocksDbSeal& seal, std::uint64_t offset);

}  // namespace tamis
