// SPDX-License-Identifier: Apache-2.0
#include "sstable/rocksdb/lookup.h"

#include <string>

#include "table/internal_key.h"

namespace tamis {
namespace {

// The last byte of an internal key, as RocksDB numbers them.
StoredKind KindOf(std::uint64_t trailer) noexcept {
  switch (trailer & 0xff) {
    case 0x00:  // a deletion
    case 0x07:  // of one value
    case 0x14:  // with a timestamp
      return StoredKind::kDeletion;
    case 0x01:  // a value
    case 0x11:  // in a blob file
    case 0x16:  // of several columns
      return StoredKind::kValue;
    case 0x02:
      return StoredKind::kMerge;
    default:
      return StoredKind::kEntry;
  }
}

class Lookup {
 public:
  Lookup(const RocksDbTable& table, const ReadableFile& file,
         RocksDbOrder order, Slice key)
      : table_(table), file_(file), order_(order), key_(key) {}

  Result<StoredEntry> Find() {
    Status read =
        SearchIndex(table_.footer().index, table_.has_two_level_index());
    if (!read.ok()) return read;
    return entry_;
  }

 private:
  bool ComesBefore(Slice a, Slice b) const noexcept {
    return order_ == RocksDbOrder::kBytewise ? a < b : b < a;
  }

  // The key is in the first block whose separator is not before it or, if the
  // separator is the key itself, in one of the next.
  Status SearchIndex(const BlockHandle& index, bool is_top) {
    RocksDbBuffer buffer;
    RocksDbBlockParts parts;
    Status read = table_.ReadParts(file_, index, false, &buffer, &parts);
    if (!read.ok()) return read;
    RocksDbIndexEntries entries(parts, table_.index_coding());
    while (!is_done_ && entries.Next()) {
      if (ComesBefore(entries.user_key(), key_)) continue;
      const bool may_be_later = entries.user_key() == key_;
      // So that no lookup reads more than the file.
      std::uint64_t& next = is_top ? next_index_ : next_data_;
      if (entries.handle().offset < next) {
        return AtOffset(index.offset,
                        Status::Corruption("this index leads back"));
      }
      next = entries.handle().offset + 1;
      read = is_top ? SearchIndex(entries.handle(), false)
                    : SearchData(entries.handle());
      if (!read.ok()) return read;
      is_done_ = is_done_ || !may_be_later;
    }
    if (!entries.damaged()) return Status::Ok();
    return AtOffset(index.offset,
                    Status::Corruption("the rest of this index is damaged"));
  }

  Status SearchData(const BlockHandle& handle) {
    RocksDbBuffer buffer;
    RocksDbBlockParts parts;
    Status read = table_.ReadParts(file_, handle, true, &buffer, &parts);
    if (!read.ok()) return read;
    RocksDbEntries entries(parts);
    while (entries.Next()) {
      if (entries.key().size() < kTrailerBytes) break;
      if (UserKeyOf(entries.key()) != key_) continue;
      entry_ = {.kind = KindOf(TrailerOf(entries.key())),
                .offset = handle.offset};
      is_done_ = true;
      return Status::Ok();
    }
    if (entries.is_at_end()) return Status::Ok();
    return AtOffset(handle.offset,
                    Status::Corruption("the rest of this block is damaged"));
  }

  const RocksDbTable& table_;
  const ReadableFile& file_;
  const RocksDbOrder order_;
  const Slice key_;
  StoredEntry entry_;
  bool is_done_ = false;
  // Where the next block may begin.
  std::uint64_t next_index_ = 0;
  std::uint64_t next_data_ = 0;
};

}  // namespace

Result<StoredEntry> FindInRocksDbTable(const RocksDbTable& table,
                                       const ReadableFile& file,
                                       RocksDbOrder order, Slice user_key) {
  return Lookup(table, file, order, user_key).Find();
}

}  // namespace tamis
