// SPDX-License-Identifier: Apache-2.0
#include "store/table_file.h"

#include <utility>

#include "base/no_throw.h"
#include "store/file_names.h"

namespace tamis {

TableFile::TableFile(const TableFileContext& context, FileMetadata metadata)
    : context_(context), metadata_(std::move(metadata)) {}

TableFile::~TableFile() {
  if (!is_obsolete_.load(std::memory_order_relaxed)) return;
  if (!context_.owner.IsHere()) return;
  owned_table_.reset();
  // A file that cannot be removed now is removed when the store is opened next.
  (void)NoThrow([this] {
    Status removed =
        context_.env->Remove(TableFileName(context_.dir, metadata_.number));
    if (removed.code() != StatusCode::kNotFound) return removed;
    return context_.env->Remove(
        OldTableFileName(context_.dir, metadata_.number));
  });
}

Result<std::unique_ptr<Table>> TableFile::OpenFile() const {
  std::string path = TableFileName(context_.dir, metadata_.number);
  Result<std::unique_ptr<ReadableFile>> file =
      context_.env->OpenReadable(path, context_.map);
  if (file.status().code() == StatusCode::kNotFound) {
    const std::string old = OldTableFileName(context_.dir, metadata_.number);
    Result<std::unique_ptr<ReadableFile>> old_file =
        context_.env->OpenReadable(old, context_.map);
    if (old_file.ok()) {
      path = old;
      file = std::move(old_file);
    }
  }
  if (file.status().code() == StatusCode::kNotFound) {
    // Not "no such key": the manifest names this file.
    return Status::Corruption(path + ": the table is missing");
  }
  if (!file.ok()) return file.status();
  if (file->size() != metadata_.bytes) {
    return Status::Corruption(
        path + ": it has " + std::to_string(file->size()) +
        " bytes, the manifest says " + std::to_string(metadata_.bytes));
  }
  return Table::Open(
      context_.read, *std::move(file), path,
      {.smallest = metadata_.smallest, .largest = metadata_.largest});
}

Result<const Table*> TableFile::OpenNow() const {
  const MutexLock lock(mutex_);
  if (const Table* table = table_.load(std::memory_order_acquire)) return table;
  Result<std::unique_ptr<Table>> opened = OpenFile();
  if (!opened.ok()) return opened.status();
  owned_table_ = *std::move(opened);
  const Table* table = owned_table_.get();
  table_.store(table, std::memory_order_release);
  return table;
}

Result<const TableFilter*> TableFile::Filter() const {
  if (const TableFilter* loaded = loaded_filter()) return loaded;
  Result<const Table*> table = Open();
  if (!table.ok()) return table.status();
  const MutexLock lock(mutex_);
  if (const TableFilter* loaded = loaded_filter()) return loaded;
  owned_filter_ = context_.use_filters ? (*table)->ReadFilter()
                                       : std::make_shared<const TableFilter>();
  if (!owned_filter_->damage().ok() && context_.filter_damaged) {
    context_.filter_damaged(TableFileName(context_.dir, metadata_.number) +
                            ": " + owned_filter_->damage().message());
  }
  filter_.store(owned_filter_.get(), std::memory_order_release);
  return owned_filter_.get();
}

}  // namespace tamis
