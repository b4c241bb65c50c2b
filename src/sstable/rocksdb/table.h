// SPDX-License-Identifier: Apache-2.0
// sstable/rocksdb/table.h -- the blocks of one block-based table of RocksDB.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "sstable/rocksdb/entries.h"
#include "sstable/rocksdb/footer.h"
#include "tamis/env.h"
#include "tamis/result.h"

namespace tamis {

// The memory of a block; may be reused for the next one.
struct RocksDbBuffer {
  std::string stored;
  std::string raw;
};

// Safe to share among threads.
class RocksDbTable {
 public:
  // Reads footer, metaindex and properties.  REQUIRES: `file` outlives the
  // table.  Corruption, NotSupported: each message says where.
  static Result<RocksDbTable> Open(const ReadableFile& file);

  const RocksDbFooter& footer() const noexcept { return footer_; }
  // Blocks by their names in the metaindex.
  const std::map<std::string, BlockHandle>& blocks() const noexcept {
    return blocks_;
  }
  // A property's value as it is stored; empty: there is none.
  Slice Property(const std::string& name) const noexcept;
  // One that is a varint; 0: there is none.
  std::uint64_t NumberProperty(const std::string& name) const noexcept;

  RocksDbIndexCoding index_coding() const noexcept;
  bool has_two_level_index() const noexcept;

  // Why data blocks cannot be read; empty: nothing is known against it.
  std::string WhyNotReadable() const;

  // Sets *contents to a block of `from`, verified and decompressed: the table's
  // file, or another view of it.  `is_data`: data blocks may need the table's
  // dictionary.
  Status ReadBlock(const ReadableFile& from, const BlockHandle& handle,
                   bool is_data, RocksDbBuffer* buffer, Slice* contents) const;
  // The same, and takes the block apart.
  Status ReadParts(const ReadableFile& from, const BlockHandle& handle,
                   bool is_data, RocksDbBuffer* buffer,
                   RocksDbBlockParts* parts) const;

 private:
  RocksDbTable() = default;

  Status ReadMetaindex(const ReadableFile& file);
  Status ReadProperties(const ReadableFile& file);
  Status ReadDictionary(const ReadableFile& file);
  Status Unpack(unsigned codec, Slice stored, bool is_data,
                std::string* raw) const;

  RocksDbFooter footer_;
  std::map<std::string, BlockHandle> blocks_;
  std::map<std::string, std::string> properties_;
  std::string dictionary_;
};

// Prepends the offset to the message.
Status AtOffset(std::uint64_t offset, const Status& status);

}  // namespace tamis
