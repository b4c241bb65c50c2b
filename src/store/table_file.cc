// SPDX-License-Identifier: Apache-2.0
#include "store/table_file.h"

#include <utility>

#include "base/no_throw.h"
#include "store/file_names.h"
#include "store/table_filter_file.h"

namespace tamis {

TableFile::TableFile(const TableFileContext& context, FileMetadata metadata)
    : context_(context), metadata_(std::move(metadata)) {}

TableFile::~TableFile() {
  if (!is_obsolete_.load(std::memory_order_relaxed)) return;
  if (!context_.owner.IsHere()) return;
  owned_table_.reset();
  // A file that cannot be removed now is removed when the store is opened next.
  (void)NoThrow([this] {
    (void)RemoveFilterFile(*context_.env, context_.dir, metadata_.number);
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
  std::shared_ptr<const QuickTable> quick;
  {
    const MutexLock lock(quick_mutex_);
    quick = quick_;
  }
  if (quick != nullptr) {
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
    const Table& table, unsigned divisor) const {
  if (!context_.use_filters) return std::make_shared<const TableFilter>();
  std::shared_ptr<const TableFilter> beside = FilterBeside(table, divisor);
  return beside != nullptr ? std::move(beside) : table.ReadFilter(divisor);
}

// Null: there is none that can be used.
std::shared_ptr<const TableFilter> TableFile::FilterBeside(
    const Table& table, unsigned divisor) const {
  const FilterFileLook look = ReadFilterFile(
      {.env = *context_.env,
       .dir = context_.dir,
       .number = metadata_.number,
       .table_bytes = metadata_.bytes,
       .table_modified = table.modified(),
       .binding =
           [&table](BoundBlocks blocks) { return table.ReadBinding(blocks); },
       .read = context_.read,
       .divisor = divisor});
  const bool is_ours = look.state != FilterFileState::kAbsent &&
                       look.state != FilterFileState::kForeign;
  if (is_ours && look.filter == nullptr && context_.filter_damaged) {
    context_.filter_damaged(look.problem);
  }
  if (IsUseless(look.state)) {
    has_useless_filter_.store(true, std::memory_order_relaxed);
    if (context_.removes_useless_filters) RemoveUselessFilter();
  }
  return look.filter;
}

void TableFile::RemoveUselessFilter() const {
  if (!context_.owner.IsHere() ||
      !has_useless_filter_.exchange(false, std::memory_order_relaxed)) {
    return;
  }
  // One that cannot be removed now is found again later.
  (void)RemoveFilterFile(*context_.env, context_.dir, metadata_.number);
}

std::shared_ptr<const HeldBlockFilter> TableFile::NewBlockFilter(
    const Table& table) const {
  return context_.use_filters ? table.ReadBlockFilter() : nullptr;
}

void TableFile::KeepBlockFilter(
    std::shared_ptr<const HeldBlockFilter> filter) const noexcept {
  owned_block_filter_ = std::move(filter);
  if (owned_block_filter_ == nullptr || !owned_block_filter_->is_held()) return;
  block_filter_.store(owned_block_filter_.get(), std::memory_order_seq_cst);
}

bool TableFile::Keep(
    std::shared_ptr<const TableFilter> filter,
    std::shared_ptr<const HeldBlockFilter> block_filter) const noexcept {
  if (owned_filter_ != nullptr) return false;
  KeepBlockFilter(std::move(block_filter));
  owned_filter_ = std::move(filter);
  filter_.store(owned_filter_.get(), std::memory_order_release);
  return true;
}

// Null: the table has none.
std::shared_ptr<const HeldRangeFilter> TableFile::ReadRangeFilter(
    const Table& table) const {
  std::shared_ptr<const HeldRangeFilter> filter;
  if (context_.use_filters && context_.read.order.is_bytewise()) {
    filter = table.ReadRangeFilter();
  }
  if (filter != nullptr) {
    context_.has_range_filters.store(true, std::memory_order_relaxed);
  }
  return filter;
}

void TableFile::LoadRangeFilterOf(const Table& table) const {
  if (ranges_.is_loaded()) return;
  const std::shared_ptr<const HeldRangeFilter> filter = ReadRangeFilter(table);
  if (ranges_.Keep(filter) && filter != nullptr) ReportDamage(filter->damage());
}

const HeldRangeFilter* TableFile::LoadRangeFilter() const {
  const Result<const Table*> table = Open();
  if (!table.ok()) return nullptr;
  LoadRangeFilterOf(**table);
  return ranges_.held();
}

bool TableFile::ReloadRangeFilter() const {
  const Table* const table = opened();
  if (table == nullptr) return false;
  std::shared_ptr<const HeldRangeFilter> filter = ReadRangeFilter(*table);
  if (filter != nullptr) ReportDamage(filter->damage());
  return ranges_.Replace(std::move(filter));
}

void TableFile::NoteDamagedParts(std::uint64_t parts) const {
  if (!context_.parts_damaged) return;
  const bool is_known = has_damaged_parts_.exchange(true);
  context_.parts_damaged(
      is_known ? "" : TableFileName(context_.dir, metadata_.number), parts);
}

void TableFile::ReportDamage(const Status& damage) const {
  if (damage.ok() || !context_.filter_damaged) return;
  context_.filter_damaged(TableFileName(context_.dir, metadata_.number) + ": " +
                          damage.message());
}

void TableFile::Report(const TableFilter& filter,
                       const HeldBlockFilter* block_filter) const {
  if (filter.damaged_parts() > 0) NoteDamagedParts(filter.damaged_parts());
  ReportDamage(filter.damage());
  if (block_filter != nullptr) ReportDamage(block_filter->damage());
  if (context_.filter_loaded) context_.filter_loaded(filter);
}

Result<const TableFilter*> TableFile::Filter() const {
  if (const TableFilter* loaded = loaded_filter()) return loaded;
  Result<const Table*> table = Open();
  if (!table.ok()) return table.status();
  std::shared_ptr<const TableFilter> filter;
  std::shared_ptr<const HeldBlockFilter> block_filter;
  {
    const MutexLock lock(mutex_);
    if (const TableFilter* loaded = loaded_filter()) return loaded;
    filter = NewFilter(**table);
    block_filter = NewBlockFilter(**table);
    (void)Keep(filter, block_filter);
  }
  LoadRangeFilterOf(**table);
  Report(*filter, block_filter.get());
  return filter.get();
}

std::shared_ptr<const TableFilter> TableFile::DropFilter() const {
  const MutexLock lock(mutex_);
  return owned_filter_ == nullptr ? nullptr : Replace(owned_filter_->stored());
}

std::shared_ptr<const TableFilter> TableFile::RetireFilter() const {
  const MutexLock lock(mutex_);
  return Replace(owned_filter_ == nullptr ? TableFilter::Stored()
                                          : owned_filter_->stored());
}

// Returns the filter, in whose place is none now.
std::shared_ptr<const TableFilter> TableFile::Replace(
    const TableFilter::Stored& stored) const {
  std::shared_ptr<const TableFilter> none = TableFilter::NotHeld(stored);
  filter_.store(none.get(), std::memory_order_seq_cst);
  owned_filter_.swap(none);
  return none;
}

std::shared_ptr<const HeldBlockFilter> TableFile::DropBlockFilter() const {
  const MutexLock lock(mutex_);
  if (block_filter() == nullptr) return nullptr;
  std::shared_ptr<const HeldBlockFilter> dropped =
      HeldBlockFilter::NotHeld(owned_block_filter_->stored_bytes());
  block_filter_.store(nullptr, std::memory_order_seq_cst);
  owned_block_filter_.swap(dropped);
  return dropped;
}

bool TableFile::ReloadBlockFilter() const {
  const Table* const table = opened();
  if (table == nullptr) return false;
  std::shared_ptr<const HeldBlockFilter> filter = table->ReadBlockFilter();
  if (filter != nullptr) ReportDamage(filter->damage());
  const MutexLock lock(mutex_);
  if (block_filter() == nullptr) KeepBlockFilter(std::move(filter));
  return block_filter() != nullptr;
}

std::uint64_t TableFile::missing_block_filter_bytes() const {
  const MutexLock lock(mutex_);
  return block_filter() == nullptr && owned_block_filter_ != nullptr
             ? owned_block_filter_->stored_bytes()
             : 0;
}

void TableFile::ReloadFilter(unsigned divisor) const {
  const Table* const table = opened();
  if (table == nullptr) return;
  const std::shared_ptr<const TableFilter> filter = NewFilter(*table, divisor);
  {
    const MutexLock lock(mutex_);
    // What DropFilter() has left may still be read: it is kept.
    dropped_ = std::exchange(owned_filter_, filter);
    filter_.store(owned_filter_.get(), std::memory_order_seq_cst);
  }
  Report(*filter, nullptr);
}

// Holds the locks for moments only: a child that is forked meanwhile could
// never take them.
Status TableFile::Load() const {
  const Table* table = opened();
  if (table == nullptr) {
    Result<std::unique_ptr<Table>> made = NewTable();
    if (!made.ok()) return made.status();
    const MutexLock lock(mutex_);
    table = Keep(*std::move(made));
  }
  if (loaded_filter() == nullptr) {
    std::shared_ptr<const TableFilter> filter = NewFilter(*table);
    std::shared_ptr<const HeldBlockFilter> block_filter =
        NewBlockFilter(*table);
    bool is_first = false;
    {
      const MutexLock lock(mutex_);
      is_first = Keep(filter, block_filter);
    }
    if (is_first) Report(*filter, block_filter.get());
  }
  LoadRangeFilterOf(*table);
  // Its index is not needed any more.
  std::shared_ptr<const QuickTable> done;
  const MutexLock lock(quick_mutex_);
  done.swap(quick_);
  return Status::Ok();
}

// Null: it must be opened.
std::shared_ptr<const QuickTable> TableFile::Quick() const {
  {
    const MutexLock lock(quick_mutex_);
    if (quick_ != nullptr) return quick_;
  }
  std::string path;
  Result<std::shared_ptr<const ReadableFile>> file = OpenFile(&path);
  if (!file.ok()) return nullptr;
  std::shared_ptr<const QuickTable> made =
      QuickTable::Open(context_.read, *std::move(file), path, Bounds());
  const MutexLock lock(quick_mutex_);
  if (quick_ != nullptr) return quick_;
  if (!is_loaded()) quick_ = made;
  return made;
}

bool TableFile::GetQuickly(const LookupKey& key, std::string* value,
                           LookupResult* result) const {
  const std::shared_ptr<const QuickTable> quick = Quick();
  return quick != nullptr && quick->Get(key, value, result);
}

}  // namespace tamis
