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

// A block as it is stored, without its trailer.
struct RocksDbStoredBlock {
  Slice contents;
  unsigned compression = 0;  // the number in its trailer
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
  // Values as they are stored, by name.
  const std::map<std::string, std::string>& properties() const noexcept {
    return properties_;
  }
  // True: the table was ingested, and RocksDB has then written a sequence
  // number for all its entries into the properties, whose checksum is still
  // that of WithoutGlobalSequence().
  bool has_global_sequence() const noexcept { return has_global_sequence_; }
  // A property's value as it is stored; empty: there is none.
  Slice Property(const std::string& name) const noexcept;
  // One that is a varint; 0: there is none.
  std::uint64_t NumberProperty(const std::string& name) const noexcept;

  RocksDbIndexCoding index_coding() const noexcept;
  bool has_two_level_index() const noexcept;

  // Why data blocks cannot be read; empty: nothing is known against it.
  std::string WhyNotReadable() const;

  // Sets *block to a block of `from`, verified and as it is stored.
  Status ReadStored(const ReadableFile& from, const BlockHandle& handle,
                    RocksDbBuffer* buffer, RocksDbStoredBlock* block) const;
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
  Status ReadPropertiesBlock(const ReadableFile& file,
                             const BlockHandle& handle, RocksDbBuffer* buffer,
                             Slice* contents);
  Status ReadDictionary(const ReadableFile& file);
  Status Unpack(unsigned codec, Slice stored, bool is_data,
                std::string* raw) const;

  RocksDbFooter footer_;
  std::map<std::string, BlockHandle> blocks_;
  std::map<std::string, std::string> properties_;
  std::string dictionary_;
  bool has_global_sequence_ = false;
};

// Returns the contents of a block of properties with zeros where the sequence
// number of an ingested table is; the same contents if there is none.
std::string WithoutGlobalSequence(Slice properties);

// Prepends the offset to the message.
Status AtOffset(std::uint64_t offset, const Status& status);

}  // namespace tamis
