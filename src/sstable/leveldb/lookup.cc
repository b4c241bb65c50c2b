// SPDX-License-Identifier: Apache-2.0
#include "sstable/leveldb/lookup.h"

#include <string>

#include "table/block_cursor.h"
#include "table/block_file.h"
#include "table/internal_key.h"

namespace tamis {
namespace {

Status Damaged(std::uint64_t offset, const std::string& what) {
  return Status::Corruption("offset " + std::to_string(offset) + ": " + what);
}

// Sets *entry if the block has the key.
Status FindInBlock(const ReadableFile& file, const BlockHandle& handle,
                   const LookupKey& key, StoredEntry* entry) {
  BlockBuffer buffer;
  Slice contents;
  if (const Status read = ReadBlock(file, handle, &buffer, &contents);
      !read.ok()) {
    return Damaged(handle.offset, read.message());
  }
  Block block;
  if (!Block::Parse(contents, &block)) {
    return Damaged(handle.offset, "it is not a block");
  }
  BlockCursor cursor;
  cursor.Reset(block);
  cursor.Seek(KeyOrder(), key.internal());
  if (cursor.damaged() ||
      (cursor.valid() && cursor.key().size() < kTrailerBytes)) {
    return Damaged(handle.offset, "this block is damaged");
  }
  if (!cursor.valid() || UserKeyOf(cursor.key()) != key.user()) {
    return Status::Ok();
  }
  entry->offset = handle.offset;
  entry->kind =
      TypeOf(cursor.key()) == ValueType::kDeletion ? StoredKind::kDeletion
      : TypeOf(cursor.key()) == ValueType::kValue  ? StoredKind::kValue
                                                   : StoredKind::kEntry;
  return Status::Ok();
}

}  // namespace

Result<StoredEntry> FindInLevelDbTable(const ReadableFile& file,
                                       const Block& index, Slice user_key) {
  const LookupKey key(user_key, kMaxSequence);
  StoredEntry entry;
  std::uint64_t next = 0;  // where the next block may begin
  BlockCursor cursor;
  cursor.Reset(index);
  // The key is in the first block whose separator is not before it or, if the
  // separator is the key itself, in the next.
  for (cursor.Seek(KeyOrder(), key.internal()); cursor.valid(); cursor.Next()) {
    const bool may_be_later = cursor.key().size() >= kTrailerBytes &&
                              UserKeyOf(cursor.key()) == key.user();
    Slice value = cursor.value();
    BlockHandle handle;
    if (!ReadHandle(&value, &handle)) {
      return Status::Corruption("the index has an entry without a block");
    }
    // So that no lookup reads more than the file.
    if (handle.offset < next) {
      return Status::Corruption("the index leads back to offset " +
                                std::to_string(handle.offset));
    }
    next = handle.offset + 1;
    Status found = FindInBlock(file, handle, key, &entry);
    if (!found.ok()) return found;
    if (entry.kind != StoredKind::kNothing || !may_be_later) return entry;
  }
  if (cursor.damaged()) return Status::Corruption("the index is damaged");
  return entry;
}

}  // namespace tamis
