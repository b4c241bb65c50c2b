// SPDX-License-Identifier: Apache-2.0
#include "sstable/rocksdb/table_keys.h"

#include "sstable/key_batch.h"
#include "sstable/rocksdb/features.h"
#include "sstable/windowed_file.h"
#include "table/internal_key.h"

namespace tamis {
namespace {

// All keys of a block are in memory at once, and each can repeat the one
// before: a block of few bytes that has keys of more than this is hostile.
constexpr std::uint64_t kMaxKeyBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxKeyGrowth = 64;

class KeyWalk {
 public:
  KeyWalk(const RocksDbTable& table, const ReadableFile& file,
          const RocksDbBlockVisit& visit, RocksDbTableKeys* keys)
      : table_(table),
        file_(file),
        window_(file),
        visit_(visit),
        keys_(keys),
        is_reverse_(table.Property("rocksdb.comparator") == kRocksDbReverse) {}

  Status WalkIndex(const BlockHandle& index, bool is_top);

 private:
  Status WalkPartition(const RocksDbIndexEntries& entry);
  Status WalkData(const RocksDbIndexEntries& entry);
  bool AreInOrder(std::span<const Slice> keys, Slice separator);
  bool ComesBefore(Slice a, Slice b) const noexcept {
    return is_reverse_ ? b < a : a < b;
  }

  const RocksDbTable& table_;
  const ReadableFile& file_;
  const WindowedFile window_;
  const RocksDbBlockVisit& visit_;
  RocksDbTableKeys* const keys_;
  RocksDbBuffer data_buffer_;
  KeyBatch batch_;
  std::uint64_t index_end_ = 0;  // of the last index partition
  const bool is_reverse_;
  // Of the last data block; user keys.
  bool has_last_ = false;
  std::string last_key_;
  std::string last_separator_;
};

Status KeyWalk::WalkIndex(const BlockHandle& index, bool is_top) {
  RocksDbBuffer buffer;
  RocksDbBlockParts parts;
  Status read = table_.ReadParts(file_, index, false, &buffer, &parts);
  if (!read.ok()) return read;
  RocksDbIndexEntries entries(parts, table_.index_coding());
  while (entries.Next()) {
    Status walked = is_top ? WalkPartition(entries) : WalkData(entries);
    if (!walked.ok()) return walked;
  }
  if (!entries.damaged()) return Status::Ok();
  return AtOffset(index.offset, Status::Corruption("the index is damaged"));
}

Status KeyWalk::WalkPartition(const RocksDbIndexEntries& entry) {
  const BlockHandle handle = entry.handle();
  if (handle.offset < index_end_) {
    return AtOffset(handle.offset,
                    Status::Corruption(
                        "this part of the index is not after the one before"));
  }
  keys_->index_partitions.push_back({std::string(entry.separator()), handle});
  Status walked = WalkIndex(handle, false);
  index_end_ = handle.offset + handle.size;
  return walked;
}

Status KeyWalk::WalkData(const RocksDbIndexEntries& entry) {
  const BlockHandle handle = entry.handle();
  if (handle.offset < keys_->data_end) {
    return AtOffset(
        handle.offset,
        Status::Corruption("this data block is not after the one before"));
  }
  RocksDbBlockParts parts;
  Status read = table_.ReadParts(window_, handle, true, &data_buffer_, &parts);
  if (!read.ok()) return read;
  keys_->data_end = handle.offset + handle.size + kBlockTrailerBytes;
  batch_.Clear();
  RocksDbEntries entries(parts);
  std::uint64_t left = kMaxKeyBytes + kMaxKeyGrowth * parts.entries.size();
  while (entries.Next()) {
    const Slice key = entries.key();
    if (key.size() < kTrailerBytes) break;
    if (key.size() > left) {
      return AtOffset(
          handle.offset,
          Status::Corruption("the keys of the data block are too long for it"));
    }
    left -= key.size();
    batch_.Add(UserKeyOf(key));
  }
  if (!entries.is_at_end()) {
    return AtOffset(handle.offset,
                    Status::Corruption("the data block is damaged"));
  }
  keys_->entries += batch_.size();
  if (batch_.size() == 0) return Status::Ok();
  const std::span<const Slice> keys = batch_.Keys();
  if (!AreInOrder(keys, entry.user_key())) {
    return AtOffset(handle.offset,
                    Status::Corruption("the keys of the data block are not in "
                                       "order, or not where the index has it"));
  }
  return visit_(keys, entry.separator());
}

// A lookup goes by the separators, so keys elsewhere would be hidden.  Versions
// of one key may be in two blocks.
bool KeyWalk::AreInOrder(std::span<const Slice> keys, Slice separator) {
  const Slice first = keys.front();
  if (has_last_ && first != last_key_ && !ComesBefore(last_separator_, first)) {
    return false;
  }
  Slice last = has_last_ ? Slice(last_key_) : first;
  for (const Slice key : keys) {
    if (ComesBefore(key, last)) return false;
    last = key;
  }
  if (ComesBefore(separator, last)) return false;
  has_last_ = true;
  last_key_ = std::string(last);
  last_separator_ = std::string(separator);
  return true;
}

}  // namespace

Status WalkTableKeys(const RocksDbTable& table, const ReadableFile& file,
                     const RocksDbBlockVisit& visit, RocksDbTableKeys* keys) {
  KeyWalk walk(table, file, visit, keys);
  const BlockHandle index = table.footer().index;
  Status walked = walk.WalkIndex(index, table.has_two_level_index());
  if (!walked.ok()) return walked;
  // Range deletions are no entries of data blocks.
  const std::uint64_t all = table.NumberProperty("rocksdb.num.entries");
  const std::uint64_t ranges =
      table.NumberProperty("rocksdb.num.range-deletions");
  if (keys->entries == all || keys->entries + ranges == all) {
    return Status::Ok();
  }
  return AtOffset(
      index.offset,
      Status::Corruption("the index leads to " + std::to_string(keys->entries) +
                         " entries, and the properties tell of " +
                         std::to_string(all)));
}

}  // namespace tamis
