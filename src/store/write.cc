// SPDX-License-Identifier: Apache-2.0
// Writing: log before memtable, and one writer at a time does it for all that
// wait.  The writer at the front of the queue includes the batches behind it.

#include <utility>

#include "base/no_throw.h"
#include "formats/tamis/line_view.h"
#include "store/batch_access.h"
#include "store/store_writer.h"

namespace tamis {

StoreWriter::StoreWriter(StoreContext& context, ViewPublisher& views,
                         BackgroundState& background, VersionSet& versions,
                         Preparer& preparer)
    : context_(context),
      views_(views),
      background_(background),
      versions_(versions),
      preparer_(preparer) {}

void StoreWriter::UseLog(std::shared_ptr<WriteLog> log) noexcept {
  queue_.AssertTurn();  // there is no other writer
  log_ = std::move(log);
}

void StoreWriter::CloseLog() noexcept {
  queue_.AssertTurn();  // there is no other writer
  if (log_ == nullptr) return;
  // Nobody is left to handle an error.
  (void)NoThrow([this] {
    queue_.AssertTurn();
    return log_->Close();
  });
}

Status StoreWriter::Write(const WriteOptions& options, WriteBatch* batch) {
  if (context_.options.read_only) {
    return Status::InvalidArgument(context_.dir +
                                   ": the store is open for reading");
  }
  if (batch->count() == 0 && !options.sync) return Status::Ok();
  QueuedWrite write;
  write.batch = batch;
  write.sync = options.sync;
  StoreLock lock(context_.mutex);
  if (!queue_.WaitForTurn(&write)) return write.status;

  WriteGroup group;
  Logs older;
  // Before this nothing has changed, so it may fail.
  Status status = NoThrow([&] {
    context_.mutex.AssertHeld();
    queue_.AssertTurn();
    Status ready = MakeReady(write);
    if (!ready.ok()) return ready;
    if (write.sync) older = older_logs_;
    group = queue_.FormGroup(NumbersLeft());
    return PrepareGroup(group.batch);
  });
  if (status.ok()) {
    // Only the writer at the front replaces the memtable.
    Memtable& memtable = *views_.current()->memtable.table;
    lock.Unlock();
    status = NoThrow([&] {
      queue_.AssertTurn();
      Status logged = Append(*group.batch);
      return logged.ok() && write.sync ? SyncLogs(older) : logged;
    });
    bool log_is_fine = status.ok();
    if (status.ok()) {
      status = Apply(*group.batch, &memtable);
      // The write is durable, even if the mark fails.
      if (write.sync) log_is_fine = MarkSynced();
    }
    lock.Lock();
    if (!log_is_fine) log_failed_ = true;
    // A sync would write what is prepared, and take longer.
    if (!write.sync && log_->WantsMore()) PrepareMore();
  }
  queue_.EndTurn(group, status);
  return status;
}

// The largest number is never assigned: a log that contains it could not be
// read again.
std::uint64_t StoreWriter::NumbersLeft() const noexcept {
  return context_.last_sequence < kMaxSequence
             ? kMaxSequence - 1 - context_.last_sequence
             : 0;
}

// Assigns sequence numbers to the group, and reserves memory for it in the
// memtable: once it is in the log, nothing may prevent that all of it is
// applied.
Status StoreWriter::PrepareGroup(WriteBatch* group) {
  if (group->count() > NumbersLeft() ||
      context_.last_sequence >= kMaxSequence) {
    return Status::ResourceExhausted(
        context_.dir +
        ": no sequence numbers are left for this write; the store can be read: "
        "copy it into a new one, by tamis db scan and tamis db load");
  }
  views_.current()->memtable.table->Reserve(group->count(), group->bytes());
  BatchAccess::SetSequence(group, context_.last_sequence + 1);
  // Also on failure: its numbers may be in the log.
  context_.last_sequence += group->count();
  return Status::Ok();
}

Status StoreWriter::Append(const WriteBatch& batch) {
  if (batch.count() == 0) return Status::Ok();  // only a sync is requested
  const std::uint64_t before = log_->bytes();
  Status logged = log_->Append(batch);
  context_.done.log_bytes.fetch_add(log_->bytes() - before,
                                    std::memory_order_relaxed);
  return logged;
}

// A write must not be durable without those before it, which may be in older
// logs.
Status StoreWriter::SyncLogs(const Logs& older) {
  for (const std::shared_ptr<WriteLog>& log : older) {
    if (Status synced = log->Sync(); !synced.ok()) return synced;
  }
  if (Status synced = log_->Sync(); !synced.ok()) return synced;
  if (!log_name_is_synced_) {
    if (Status synced = context_.env.SyncDirectory(context_.dir);
        !synced.ok()) {
      log_->FailSync(synced);
      return synced;
    }
    log_name_is_synced_ = true;
  }
  return Status::Ok();
}

// Returns false if the log must not be written to any more.
bool StoreWriter::MarkSynced() noexcept {
  const Status marked = NoThrow([this] {
    queue_.AssertTurn();
    return log_->MarkSynced();
  });
  return marked.ok();
}

Status StoreWriter::Apply(const WriteBatch& batch, Memtable* memtable) {
  if (batch.count() == 0) return Status::Ok();
  const LineSeeds& seeds = context_.tables.seeds;
  Sequence sequence = BatchAccess::sequence(batch);
  std::uint64_t bytes = 0;
  Status applied = ForEachChange(
      batch.contents(), [&](ValueType type, Slice key, Slice value) {
        memtable->Add(sequence, type, key, value, LineHash(key, seeds.own));
        ++sequence;
        bytes += key.size() + value.size();
      });
  log_->Acknowledge(sequence);
  context_.visible.store(sequence - 1, std::memory_order_release);
  context_.done.writes.fetch_add(1, std::memory_order_relaxed);
  context_.done.bytes_put.fetch_add(bytes, std::memory_order_relaxed);
  return applied;
}

}  // namespace tamis
