// SPDX-License-Identifier: Apache-2.0
#include "store/table_file.h"

#include <utility>

#include "base/no_throw.h"
#include "store/file_names.h"

namespace tamis {

TableFile::TableFile(const TableFileContext& context, FileMetadata metadata)
    : context_(context), metadata_(std::move(metadata)) {}

TableFile::~TableFile() {
  delete quick_.load(std::memory_order_acquire);
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

// Sets *path to the name of the file, whatever the result.
Result<std::shared_ptr<const ReadableFile>> TableFile::OpenFile(
    std::string* path) const {
  *path = TableFileName(context_.dir, metadata_.number);
  Result<std::unique_ptr<ReadableFile>> file =
      context_.env->OpenReadable(*path, context_.map);
  if (file.status().code() == StatusCode::kNotFound) {
    const std::string old = OldTableFileName(context_.dir, metadata_.number);
    Result<std::unique_ptr<ReadableFile>> old_file =
        context_.env->OpenReadable(old, context_.map);
    if (old_file.ok()) {
      *path = old;
      file = std::move(old_file);
    }
  }
  if (file.status().code() == StatusCode::kNotFound) {
    // Not "no such key": the manifest names this file.
    return Status::Corruption(*path + ": the table is missing");
  }
  if (!file.ok()) return file.status();
  if (file->size() != metadata_.bytes) {
    return Status::Corruption(
        *path + ": it has " + std::to_string(file->size()) +
        " bytes, the manifest says " + std::to_string(metadata_.bytes));
  }
  return std::shared_ptr<const ReadableFile>(*std::move(file));
}

Result<std::unique_ptr<Table>> TableFile::NewTable() const {
  if (const QuickTable* quick = quick_.load(std::memory_order_acquire)) {
    return Table::Open(context_.read, quick->file(), quick->name(), Bounds());
  }
  std::string path;
  Result<std::shared_ptr<const ReadableFile>> file = OpenFile(&path);
  if (!file.ok()) return file.status();
  return Table::Open(context_.read, *std::move(file), path, Bounds());
}

const Table* TableFile::Keep(std::unique_ptr<Table> table) const {
  if (owned_table_ == nullptr) {
    owned_table_ = std::move(table);
    table_.store(owned_table_.get(), std::memory_order_release);
  }
  return owned_table_.get();
}

Result<const Table*> TableFile::OpenNow() const {
  const MutexLock lock(mutex_);
  if (const Table* table = table_.load(std::memory_order_acquire)) return table;
  Result<std::unique_ptr<Table>> opened = NewTable();
  if (!opened.ok()) return opened.status();
  return Keep(*std::move(opened));
}

std::shared_ptr<const TableFilter> TableFile::NewFilter(
    const Table& table) const {
  return context_.use_filters ? table.ReadFilter()
                              : std::make_shared<const TableFilter>();
}

const TableFilter* TableFile::Keep(
    std::shared_ptr<const TableFilter> filter) const {
  if (owned_filter_ != nullptr) return owned_filter_.get();
  owned_filter_ = std::move(filter);
  if (!owned_filter_->damage().ok() && context_.filter_damaged) {
    context_.filter_damaged(TableFileName(context_.dir, metadata_.number) +
                            ": " + owned_filter_->damage().message());
  }
  filter_.store(owned_filter_.get(), std::memory_order_release);
  return owned_filter_.get();
}

Result<const TableFilter*> TableFile::Filter() const {
  if (const TableFilter* loaded = loaded_filter()) return loaded;
  Result<const Table*> table = Open();
  if (!table.ok()) return table.status();
  const MutexLock lock(mutex_);
  if (const TableFilter* loaded = loaded_filter()) return loaded;
  return Keep(NewFilter(**table));
}

// Holds the lock for moments only: a child that is forked meanwhile could never
// take it.
Status TableFile::Load() const {
  const Table* table = opened();
  if (table == nullptr) {
    Result<std::unique_ptr<Table>> made = NewTable();
    if (!made.ok()) return made.status();
    const MutexLock lock(mutex_);
    table = Keep(*std::move(made));
  }
  if (loaded_filter() != nullptr) return Status::Ok();
  std::shared_ptr<const TableFilter> filter = NewFilter(*table);
  const MutexLock lock(mutex_);
  Keep(std::move(filter));
  return Status::Ok();
}

// Null: it must be opened.
const QuickTable* TableFile::Quick() const {
  if (const QuickTable* quick = quick_.load(std::memory_order_acquire)) {
    return quick;
  }
  std::string path;
  Result<std::shared_ptr<const ReadableFile>> file = OpenFile(&path);
  if (!file.ok()) return nullptr;
  std::unique_ptr<const QuickTable> made =
      QuickTable::Open(context_.read, *std::move(file), path, Bounds());
  const QuickTable* expected = nullptr;
  if (made == nullptr ||
      !quick_.compare_exchange_strong(expected, made.get())) {
    return expected;
  }
  return made.release();
}

bool TableFile::GetQuickly(const LookupKey& key, std::string* value,
                           LookupResult* result) const {
  const QuickTable* const quick = Quick();
  return quick != nullptr && quick->Get(key, value, result);
}

}  // namespace tamis
