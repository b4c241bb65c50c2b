// SPDX-License-Identifier: Apache-2.0
// sstable/rocksdb/entries.h -- the entries of RocksDB's blocks, as each format
// version encodes them; see docs/formats/rocksdb-table.md.

#pragma once

#include <cstdint>
#include <string>

#include "table/footer.h"
#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// The bounds of what a block contains.
struct RocksDbBlockParts {
  Slice entries;                     // of keys and values, or of keys only
  Slice restarts;                    // LE32 offsets of entries with whole keys
  bool has_separate_values = false;  // the values follow all keys

  // Corruption: not a block.  NotSupported: a layout that is newer.
  static Status Parse(Slice contents, RocksDbBlockParts* parts);
};

// Iterates over the entries of a data block, the metaindex or the properties.
// Checks what it reads.
class RocksDbEntries {
 public:
  // REQUIRES: the bytes of `parts` outlive the iteration
  explicit RocksDbEntries(const RocksDbBlockParts& parts)
      : rest_(parts.entries),
        restarts_(parts.restarts),
        has_separate_values_(parts.has_separate_values) {}

  // False: no more, or damaged().
  bool Next();
  bool damaged() const noexcept { return damaged_; }
  // True: all entries were read.
  bool is_at_end() const noexcept { return rest_.empty() && !damaged_; }
  Slice key() const noexcept { return key_; }
  // Empty where values are separate.
  Slice value() const noexcept { return value_; }

 private:
  bool Fail() {
    damaged_ = true;
    return false;
  }
  bool IsAtRestart();

  Slice rest_;
  Slice restarts_;
  bool has_separate_values_;
  std::uint32_t offset_ = 0;  // of rest_ in the entries
  std::size_t restart_ = 0;   // the next one to come
  bool damaged_ = false;
  std::string key_;
  Slice value_;
};

// How the entries of an index are encoded: that is in the properties.
struct RocksDbIndexCoding {
  bool has_delta_values = false;  // handles as differences
  bool has_user_keys = false;     // separators without sequence numbers
  bool has_first_keys = false;    // the first key of the block follows
};

// Iterates over an index, or over that of the partitions of a filter.
class RocksDbIndexEntries {
 public:
  // REQUIRES: the bytes of `parts` outlive the iteration
  RocksDbIndexEntries(const RocksDbBlockParts& parts, RocksDbIndexCoding coding)
      : rest_(parts.entries), coding_(coding) {}

  // False: no more, or damaged().
  bool Next();
  bool damaged() const noexcept { return damaged_; }
  Slice separator() const noexcept { return key_; }
  // The same without the sequence number.
  Slice user_key() const noexcept;
  const BlockHandle& handle() const noexcept { return handle_; }

 private:
  bool Fail() {
    damaged_ = true;
    return false;
  }
  bool ReadHandleAfter(std::uint32_t shared, Slice* in);

  Slice rest_;
  RocksDbIndexCoding coding_;
  bool damaged_ = false;
  std::string key_;
  BlockHandle handle_;
};

}  // namespace tamis
