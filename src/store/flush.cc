// Flushing: the oldest frozen memtable becomes a table of level 0, and its log
// is needed no more.

#include <utility>

#include "base/no_throw.h"
#include "store/entry_filter.h"
#include "store/store_impl.h"
#include "store/table_outputs.h"

namespace tamis {

TableWriteOptions StoreImpl::WriteOptionsForTables() const {
  TableWriteOptions options;
  options.order = order_;
  options.block_bytes = options_.block_bytes;
  options.restart_interval = options_.restart_interval;
  options.compression = options_.compression;
  options.zstd_level = options_.zstd_level;
  options.limits = PackLimitsOf(options_);
  options.filter = filter_.get();
  options.leveldb_filter_bits = filters_fit_ ? options_.leveldb_filter_bits : 0;
  options.properties = wanted_.properties();
  return options;
}

std::unique_ptr<TableOutputs> StoreImpl::NewOutputs() {
  return std::make_unique<TableOutputs>(
      env_, dir_, WriteOptionsForTables(), [this] { return NewFileNumber(); },
      [this](const std::string& what) { NoteFilterNotBuilt(what); });
}

Status StoreImpl::WriteMemtable(const Memtable& memtable,
                                TableOutputs* outputs) {
  EntryFilter filter(order_, snapshots_.All(), {});
  const std::unique_ptr<InternalIterator> entries = memtable.NewIterator();
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    if (filter.MayDrop(entries->key())) continue;
    Status added = outputs->Add(entries->key(), entries->value());
    if (!added.ok()) return added;
  }
  return outputs->Cut();
}

Status StoreImpl::FlushOldest() {
  const std::shared_ptr<const ReadView> view = CurrentView();
  const LoggedMemtable oldest = view->frozen.back();
  const std::unique_ptr<TableOutputs> outputs = NewOutputs();
  if (Status written = WriteMemtable(*oldest.table, outputs.get());
      !written.ok()) {
    return written;
  }
  const std::uint64_t bytes = outputs->bytes();
  Result<std::vector<FileFacts>> tables = outputs->Finish();
  if (!tables.ok()) return tables.status();

  VersionEdit edit;
  edit.log_number = view->frozen.size() > 1
                        ? view->frozen[view->frozen.size() - 2].log_number
                        : view->memtable.log_number;
  edit.previous_log_number = 0;
  for (FileFacts& table : *tables) edit.added.emplace_back(0, std::move(table));
  const auto is_flushed = [this, bytes](ReadView* next) {
    const std::uint64_t number = next->frozen.back().log_number;
    next->frozen.pop_back();
    std::erase_if(older_logs_, [&](const std::shared_ptr<WriteLog>& log) {
      return log->number() <= number;
    });
    done_.flushes.fetch_add(1, std::memory_order_relaxed);
    done_.flush_bytes.fetch_add(bytes, std::memory_order_relaxed);
  };
  Status applied = LogAndApply(std::move(edit), is_flushed);
  if (!applied.ok()) return applied;
  // It is done, whether they can be removed or not.
  (void)NoThrow([this] {
    RemoveOldLogs();
    return Status::Ok();
  });
  return Status::Ok();
}

void StoreImpl::FlushLoop() {
  unsigned failures = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return closing_ || !current_->frozen.empty(); });
    if (closing_) return;
    is_flushing_ = true;
    lock.unlock();
    Status flushed = NoThrow([this] { return FlushOldest(); });
    const bool done = flushed.ok();
    ReleaseRetired();
    lock.lock();
    is_flushing_ = false;
    flush_failed_ = !done;
    if (done) {
      failures = 0;
      background_error_ = Status::Ok();
    } else {
      NoteBackgroundError(std::move(flushed), "flushing");
    }
    change_.notify_all();
    if (!done && !WaitToRetry(lock, ++failures)) return;
  }
}

// The writer's way to have the memtable written: it queues like a write, so
// that nobody else is writing.
Status StoreImpl::Flush() {
  if (options_.read_only) return Status::Ok();
  Writer writer;
  WriteBatch nothing;
  writer.batch = &nothing;
  writer.is_alone = true;  // what it waits for is its turn
  std::unique_lock lock(mutex_);
  queue_.push_back(&writer);
  writer.turn.wait(lock, [&] { return queue_.front() == &writer; });
  Status status;
  if (!current_->memtable.table->empty()) {
    status = NoThrow([this] { return SwitchMemtable(); });
  }
  queue_.pop_front();
  if (!queue_.empty()) queue_.front()->turn.notify_one();
  if (!status.ok()) return status;
  const std::uint64_t log_number = current_->memtable.log_number;
  change_.wait(lock, [&] {
    return closing_ || (flush_failed_ && !background_error_.ok()) ||
           current_->frozen.empty() ||
           current_->frozen.back().log_number >= log_number;
  });
  return current_->frozen.empty() ||
                 current_->frozen.back().log_number >= log_number
             ? Status::Ok()
         : background_error_.ok()
             ? Status::IoError(dir_ + ": the store is being closed")
             : background_error_;
}

}  // namespace tamis
