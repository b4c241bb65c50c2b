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
  options.order = context_.order;
  options.block_bytes = context_.options.block_bytes;
  options.restart_interval = context_.options.restart_interval;
  options.compression = context_.options.compression;
  options.zstd_level = context_.options.zstd_level;
  options.limits = PackLimitsOf(context_.options);
  options.filter = context_.filter.get();
  options.leveldb_filter_bits =
      context_.filters_fit ? context_.options.leveldb_filter_bits : 0;
  options.properties = context_.wanted.properties();
  return options;
}

std::unique_ptr<TableOutputs> StoreImpl::NewOutputs() {
  return std::make_unique<TableOutputs>(
      context_.env, context_.dir, WriteOptionsForTables(),
      [this] { return versions_.NewFileNumber(); },
      [this](const std::string& what) {
        context_.filter_faults.NoteNotBuilt(what);
      });
}

Status StoreImpl::WriteMemtable(const Memtable& memtable,
                                TableOutputs* outputs) {
  EntryFilter filter(context_.order, context_.snapshots.All(), {});
  const std::unique_ptr<InternalIterator> entries = memtable.NewIterator();
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    if (filter.MayDrop(entries->key())) continue;
    Status added = outputs->Add(entries->key(), entries->value());
    if (!added.ok()) return added;
  }
  return outputs->Cut();
}

Status StoreImpl::FlushOldest() {
  const std::shared_ptr<const ReadView> view = views_.Current();
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
    context_.mutex.AssertHeld();
    const std::uint64_t number = next->frozen.back().log_number;
    next->frozen.pop_back();
    writer_.ForgetLogsUpTo(number);
    context_.done.flushes.fetch_add(1, std::memory_order_relaxed);
    context_.done.flush_bytes.fetch_add(bytes, std::memory_order_relaxed);
  };
  Status applied = versions_.LogAndApply(std::move(edit), is_flushed);
  if (!applied.ok()) return applied;
  // It is done, whether they can be removed or not.
  (void)NoThrow([this] {
    versions_.RemoveOldLogs();
    return Status::Ok();
  });
  return Status::Ok();
}

void StoreImpl::FlushLoop() {
  unsigned failures = 0;
  StoreLock lock(context_.mutex);
  while (true) {
    while (!background_.is_closing() && views_.current()->frozen.empty()) {
      background_.WaitForWork();
    }
    if (background_.is_closing()) return;
    is_flushing_ = true;
    lock.Unlock();
    Status flushed = NoThrow([this] { return FlushOldest(); });
    const bool done = flushed.ok();
    views_.ReleaseRetired();
    lock.Lock();
    is_flushing_ = false;
    background_.set_flush_failed(!done);
    if (done) {
      failures = 0;
      background_.ClearError();
    } else {
      background_.NoteError(std::move(flushed), "flushing");
    }
    background_.NotifyWaiters();
    if (!done && !background_.WaitToRetry(++failures)) return;
  }
}

}  // namespace tamis
