// SPDX-License-Identifier: Apache-2.0
// leveldb::TableBuilder: writes a table whose keys are any bytes, in a
// program's order: the bytes that LevelDB writes.

#include <cassert>
#include <memory>
#include <optional>
#include <string>

#include <leveldb/comparator.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/table_builder.h>

#include "convert.h"
#include "formats/leveldb/filter_block.h"
#include "policy.h"
#include "table/block_builder.h"
#include "table/block_file.h"
#include "table/footer.h"
#include "table/shared_prefix.h"
#include "table/table_meta.h"

namespace leveldb {
namespace {

unsigned RestartsOf(const Options& options) {
  return options.block_restart_interval > 0
             ? static_cast<unsigned>(options.block_restart_interval)
             : 1;
}

tamis::Compressor CompressorOf(const Options& options) {
  return tamis::Compressor(options.compression == kNoCompression
                               ? tamis::Compression::kNone
                               : tamis::Compression::kSnappy,
                           1);
}

}  // namespace

struct [[gnu::visibility("hidden")]] TableBuilder::Rep {
  Rep(const Options& given, WritableFile* to) : options(given), file(to) {
    data.emplace(RestartsOf(options));
    if (options.filter_policy == nullptr) return;
    policy = tamis::dropin::AdaptPolicy(*options.filter_policy);
    filters.emplace(*policy);
    Take(filters->StartBlock(0));
  }

  void Take(const tamis::Status& done) {
    if (status.ok() && !done.ok()) status = tamis::dropin::Theirs(done);
  }
  void Write(std::string * block, bool compress, tamis::BlockHandle* handle);
  void FlushData();
  void AddIndexEntry();
  void WriteMetaAndFooter();

  Options options;
  WritableFile* const file;
  std::uint64_t offset = 0;
  std::uint64_t entries = 0;
  bool is_closed = false;
  Status status;
  std::string last_key;
  std::optional<tamis::BlockBuilder> data;
  tamis::BlockBuilder index{1};
  // The last data block, whose index entry waits for the next key.
  std::optional<tamis::BlockHandle> last_block;
  std::shared_ptr<const tamis::FilterPolicy> policy;
  std::optional<tamis::LevelDbFilterBlockBuilder> filters;
  std::string compressed;
};

void TableBuilder::Rep::Write(std::string* block, bool compress,
                              tamis::BlockHandle* handle) {
  tamis::Compression how = tamis::Compression::kNone;
  if (compress) how = CompressorOf(options).Compress(*block, &compressed);
  std::string* const stored =
      how == tamis::Compression::kNone ? block : &compressed;
  *handle = {offset, stored->size()};
  tamis::AppendBlockTrailer(stored, how);
  status = file->Append(*stored);
  if (status.ok()) offset += stored->size();
}

void TableBuilder::Rep::FlushData() {
  if (!status.ok() || data->empty()) return;
  tamis::BlockHandle handle;
  Write(&data->Finish(), true, &handle);
  data.emplace(RestartsOf(options));
  if (status.ok()) {
    last_block = handle;
    status = file->Flush();
  }
  if (filters) Take(filters->StartBlock(offset));
}

void TableBuilder::Rep::AddIndexEntry() {
  std::string handle;
  tamis::AppendHandle(&handle, *last_block);
  index.Add(last_key, handle, 0);
  last_block.reset();
}

void TableBuilder::Rep::WriteMetaAndFooter() {
  tamis::Footer footer;
  tamis::BlockBuilder metaindex(RestartsOf(options));
  if (filters) {
    std::string bytes;
    Take(filters->Finish(&bytes));
    if (!status.ok()) return;
    tamis::BlockHandle handle;
    Write(&bytes, false, &handle);
    std::string value;
    tamis::AppendHandle(&value, handle);
    metaindex.Add(tamis::LevelDbFilterMeta(policy.get()), value, 0);
  }
  if (status.ok()) Write(&metaindex.Finish(), true, &footer.metaindex);
  if (!status.ok()) return;
  if (last_block) {
    options.comparator->FindShortSuccessor(&last_key);
    AddIndexEntry();
  }
  Write(&index.Finish(), true, &footer.index);
  if (!status.ok()) return;
  std::string end;
  tamis::AppendFooter(&end, footer);
  status = file->Append(end);
  if (status.ok()) offset += end.size();
}

TableBuilder::TableBuilder(const Options& options, WritableFile* file)
    : rep_(new Rep(options, file)) {}

TableBuilder::~TableBuilder() {
  assert(rep_->is_closed);
  delete rep_;
}

Status TableBuilder::ChangeOptions(const Options& options) {
  if (options.comparator != rep_->options.comparator) {
    return Status::InvalidArgument("changing comparator while building table");
  }
  rep_->options = options;
  if (rep_->data->empty()) rep_->data.emplace(RestartsOf(options));
  return Status();
}

void TableBuilder::Add(const Slice& key, const Slice& value) {
  Rep& rep = *rep_;
  assert(!rep.is_closed);
  if (!rep.status.ok()) return;
  assert(rep.entries == 0 ||
         rep.options.comparator->Compare(key, rep.last_key) > 0);
  if (rep.last_block) {
    std::string separator = rep.last_key;
    rep.options.comparator->FindShortestSeparator(&separator, key);
    rep.last_key.swap(separator);
    rep.AddIndexEntry();
    rep.last_key.swap(separator);
  }
  const tamis::Slice ours = tamis::dropin::Ours(key);
  if (rep.filters) rep.filters->AddKey(ours);
  rep.data->Add(ours, tamis::dropin::Ours(value),
                tamis::SharedPrefix(rep.last_key, ours));
  rep.last_key.assign(ours);
  ++rep.entries;
  if (rep.data->bytes() >= rep.options.block_size) rep.FlushData();
}

void TableBuilder::Flush() {
  assert(!rep_->is_closed);
  rep_->FlushData();
}

Status TableBuilder::status() const { return rep_->status; }

Status TableBuilder::Finish() {
  Flush();
  rep_->is_closed = true;
  if (rep_->status.ok()) rep_->WriteMetaAndFooter();
  return rep_->status;
}

void TableBuilder::Abandon() {
  assert(!rep_->is_closed);
  rep_->is_closed = true;
}

uint64_t TableBuilder::NumEntries() const { return rep_->entries; }
uint64_t TableBuilder::FileSize() const { return rep_->offset; }

}  // namespace leveldb
