// SPDX-License-Identifier: Apache-2.0
// leveldb::Table: reads a table whose keys are any bytes, in a program's order.

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <leveldb/comparator.h>
#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table.h>

#include "cache.h"
#include "convert.h"
#include "env_adapter.h"
#include "table/block_cursor.h"
#include "table/block_file.h"
#include "table/footer.h"

namespace leveldb {

struct [[gnu::visibility("hidden")]] Table::Rep {
  // A data block, and a key at or after all of its keys.
  struct IndexEntry {
    std::string key;
    tamis::BlockHandle block;
  };

  const Comparator* comparator = nullptr;
  std::unique_ptr<tamis::ReadableFile> file;
  std::shared_ptr<tamis::BlockCache> cache;  // null: none
  std::uint64_t cache_id = 0;
  tamis::Footer footer;
  std::vector<IndexEntry> index;

  tamis::Status LoadIndex();
  tamis::Status ReadData(std::size_t i, bool fill_cache,
                         tamis::BlockBuffer* buffer, tamis::Block* block) const;
  // The first block that may have a key at or after this one.
  std::size_t Find(const Slice& key) const {
    const auto found = std::partition_point(
        index.begin(), index.end(), [&](const IndexEntry& entry) {
          return comparator->Compare(entry.key, key) < 0;
        });
    return static_cast<std::size_t>(found - index.begin());
  }
};

tamis::Status Table::Rep::LoadIndex() {
  tamis::BlockBuffer buffer;
  tamis::Slice contents;
  tamis::Status read =
      tamis::ReadBlock(*file, footer.index, &buffer, &contents);
  if (!read.ok()) return read;
  tamis::Block block;
  tamis::BlockCursor cursor;
  const tamis::Status damaged =
      tamis::Status::Corruption("the index of the table is damaged");
  if (!tamis::Block::Parse(contents, &block)) return damaged;
  cursor.Reset(block);
  for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
    tamis::Slice value = cursor.value();
    tamis::BlockHandle handle;
    if (!tamis::ReadHandle(&value, &handle)) return damaged;
    index.push_back({std::string(cursor.key()), handle});
  }
  return cursor.damaged() ? damaged : tamis::Status::Ok();
}

tamis::Status Table::Rep::ReadData(std::size_t i, bool fill_cache,
                                   tamis::BlockBuffer* buffer,
                                   tamis::Block* block) const {
  const tamis::BlockHandle handle = index[i].block;
  buffer->cached =
      cache != nullptr ? cache->Find(cache_id, handle.offset) : nullptr;
  tamis::Slice contents;
  if (buffer->cached != nullptr) {
    contents = *buffer->cached;
  } else {
    tamis::Status read = tamis::ReadBlock(*file, handle, buffer, &contents);
    if (!read.ok()) return read;
    if (cache != nullptr && fill_cache) {
      buffer->cached = std::make_shared<const std::string>(contents);
      contents = *buffer->cached;
      cache->Insert(cache_id, handle.offset, buffer->cached);
    }
  }
  return tamis::Block::Parse(contents, block)
             ? tamis::Status::Ok()
             : tamis::Status::Corruption("a data block is damaged");
}

namespace {

// At an entry of a data block, or at none.  A block that cannot be read is
// passed over, and its error kept.
class TableEntries final : public Iterator {
 public:
  // Defined where Table::Rep can be named.
  using ReadData = std::function<tamis::Status(
      std::size_t i, tamis::BlockBuffer* buffer, tamis::Block* block)>;
  using Find = std::function<std::size_t(const Slice& key)>;

  TableEntries(const Comparator* comparator, std::size_t blocks,
               ReadData read_data, Find find)
      : comparator_(comparator),
        blocks_(blocks),
        read_data_(std::move(read_data)),
        find_(std::move(find)) {}

  bool Valid() const override { return cursor_.valid(); }
  void SeekToFirst() override { EnterForward(0); }
  void SeekToLast() override { EnterBackward(blocks_); }
  void Seek(const Slice& target) override {
    EnterForward(find_(target));
    const std::size_t first = block_;
    while (cursor_.valid() && block_ == first &&
           comparator_->Compare(key(), target) < 0) {
      Next();
    }
  }
  void Next() override {
    cursor_.Next();
    if (cursor_.valid()) return;
    NoteDamage();
    EnterForward(block_ + 1);
  }
  void Prev() override {
    cursor_.Prev();
    if (cursor_.valid()) return;
    NoteDamage();
    EnterBackward(block_);
  }
  Slice key() const override { return tamis::dropin::Theirs(cursor_.key()); }
  Slice value() const override {
    return tamis::dropin::Theirs(cursor_.value());
  }
  Status status() const override { return tamis::dropin::Theirs(status_); }

 private:
  // To the first entry of that block, or of one after it.
  void EnterForward(std::size_t i) {
    for (; i < blocks_; ++i) {
      if (!Load(i)) continue;
      cursor_.SeekToFirst();
      if (cursor_.valid()) return;
      NoteDamage();
    }
    Leave();
  }
  // To the last entry of a block before that one.
  void EnterBackward(std::size_t i) {
    while (i-- > 0) {
      if (!Load(i)) continue;
      cursor_.SeekToLast();
      if (cursor_.valid()) return;
      NoteDamage();
    }
    Leave();
  }
  bool Load(std::size_t i) {
    block_ = i;
    cursor_.Reset({});
    tamis::Block block;
    tamis::Status read = read_data_(i, &buffer_, &block);
    if (read.ok()) {
      cursor_.Reset(block);
    } else if (status_.ok()) {
      status_ = std::move(read);
    }
    return cursor_.block().begin() != nullptr;
  }
  void Leave() { cursor_.Reset({}); }
  void NoteDamage() {
    if (cursor_.damaged() && status_.ok()) {
      status_ = tamis::Status::Corruption("a data block is damaged");
    }
  }

  const Comparator* const comparator_;
  const std::size_t blocks_;
  const ReadData read_data_;
  const Find find_;
  std::size_t block_ = 0;
  tamis::BlockBuffer buffer_;
  tamis::BlockCursor cursor_;
  tamis::Status status_;
};

}  // namespace

Status Table::Open(const Options& options, RandomAccessFile* file,
                   uint64_t file_size, Table** table) {
  *table = nullptr;
  if (file_size < tamis::kFooterBytes) {
    return Status::Corruption("file is too short to be an sstable");
  }
  auto rep = std::make_unique<Rep>();
  rep->comparator = options.comparator;
  rep->file = tamis::dropin::AdaptFile(file, file_size);
  if (options.block_cache != nullptr) {
    rep->cache = tamis::dropin::AdaptCache(options.block_cache);
    rep->cache_id = rep->cache->NewTableId();
  }
  const auto footer = tamis::ReadFooter(*rep->file);
  if (footer.status().code() == tamis::StatusCode::kCorruption) {
    return Status::Corruption("not an sstable (bad magic number)");
  }
  if (!footer.ok()) return tamis::dropin::Theirs(footer.status());
  rep->footer = *footer;
  const tamis::Status loaded = rep->LoadIndex();
  if (!loaded.ok()) return tamis::dropin::Theirs(loaded);
  *table = new Table(rep.release());
  return Status();
}

Table::~Table() { delete rep_; }

Iterator* Table::NewIterator(const ReadOptions& options) const {
  const Rep& rep = *rep_;
  return new TableEntries(
      rep.comparator, rep.index.size(),
      [&rep, fill_cache = options.fill_cache](
          std::size_t i, tamis::BlockBuffer* buffer, tamis::Block* block) {
        return rep.ReadData(i, fill_cache, buffer, block);
      },
      [&rep](const Slice& key) { return rep.Find(key); });
}

// The end of the data for a key after all others.
uint64_t Table::ApproximateOffsetOf(const Slice& key) const {
  const std::size_t i = rep_->Find(key);
  return i < rep_->index.size() ? rep_->index[i].block.offset
                                : rep_->footer.metaindex.offset;
}

}  // namespace leveldb
