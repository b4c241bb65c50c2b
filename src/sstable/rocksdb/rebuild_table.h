// SPDX-License-Identifier: Apache-2.0
// sstable/rocksdb/rebuild_table.h -- a block-based table of RocksDB with
// another filter.
//
// Everything up to the end of the last data block is the same, byte for byte.
// After it come the new filter, the other blocks with the contents and in the
// order that they had, and the properties, the metaindex and the footer, which
// say where they are now; see docs/formats/rocksdb-table.md.

#pragma once

#include <cstdint>
#include <string>

#include "formats/rocksdb/filter.h"
#include "sstable/rocksdb/table.h"
#include "tamis/env.h"
#include "tamis/result.h"

namespace tamis {

// The filter that a table shall have.
struct RocksDbNewFilter {
  enum class Form { kNone, kFull, kPartitioned };

  Form form = Form::kFull;
  RocksDbKind kind = RocksDbKind::kBloom;
  BloomSizing sizing;  // not used for kNone
  // RocksDB's default of `metadata_block_size`; a partition has the keys of
  // whole data blocks, so it is a little larger.
  std::uint64_t partition_bytes = 4096;
};

// Why a table may not be rebuilt with that filter: what is not understood of
// it, by name.  Empty: nothing is known against it.
std::string WhyNotRebuilt(const RocksDbTable& table,
                          RocksDbNewFilter::Form form);

// A table that is ready to be written.  Takes memory in proportion to the keys,
// to the index and to the new filter.
class RocksDbTableRebuild {
 public:
  // Reads all of the table, and verifies all checksums.  REQUIRES: `old`
  // outlives the result, and does not change.  NotSupported: WhyNotRebuilt().
  // Corruption: something is damaged or contradictory.  InvalidArgument: there
  // is no filter of that size.  Messages name the offset.
  static Result<RocksDbTableRebuild> Plan(const ReadableFile& old,
                                          const RocksDbNewFilter& filter);

  // The length of the new table.
  std::uint64_t bytes() const noexcept { return kept_ + tail_.size(); }
  // How many of its bytes, at the end, are not data.
  std::uint64_t tail_bytes() const noexcept { return bytes() - tail_start_; }
  // How many bytes, at the start, are those of the old table.
  std::uint64_t kept_bytes() const noexcept { return kept_; }
  // As RocksDB counts them: the keys and prefixes of the filter, and its bytes.
  std::uint64_t filter_entries() const noexcept { return filter_entries_; }
  std::uint64_t filter_bytes() const noexcept { return filter_bytes_; }

  // Appends the new table to an empty file and sets *crc32c to the checksum of
  // all its bytes, which is not masked.  Neither syncs nor closes.
  Status Write(WritableFile* file, std::uint32_t* crc32c) const;

 private:
  friend class RocksDbTail;

  const ReadableFile* old_ = nullptr;
  std::uint64_t kept_ = 0;
  std::uint64_t tail_start_ = 0;
  std::string tail_;
  std::uint64_t filter_entries_ = 0;
  std::uint64_t filter_bytes_ = 0;
};

}  // namespace tamis
