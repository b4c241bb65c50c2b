// SPDX-License-Identifier: Apache-2.0
// Makes room for writes: when writers are slowed down, when they must wait, and
// how a memtable is replaced.

#include <algorithm>
#include <utility>

#include "base/no_throw.h"
#include "base/thread_priority.h"
#include "store/file_names.h"
#include "store/store_writer.h"

namespace tamis {

// Ensures that the log and the memtable can take the write.
Status StoreWriter::MakeReady(const QueuedWrite& write) {
  // Nothing that is synced from now on may depend on such a log.
  if (write.sync && log_->is_inherited()) log_failed_ = true;
  SlowDown(write.batch->bytes());
  Status ready = MakeRoom();
  return ready.ok() && write.sync ? WaitForFailedLogs() : ready;
}

void StoreWriter::SlowDown(std::size_t bytes) {
  const ReadView& view = *views_.current();
  const double flushing = FlushBacklog(view, context_.options);
  const double compacting =
      CompactionBacklog(*view.version, context_.Limits(), context_.options);
  background_.flushing().NoteBacklog(flushing);
  background_.compacting().NoteBacklog(compacting);
  const std::chrono::nanoseconds sleep = throttle_.Charge(
      SlowdownNanosecondsPerByte(std::max(flushing, compacting)), bytes);
  if (sleep.count() == 0) return;
  context_.mutex.Unlock();
  const auto started = std::chrono::steady_clock::now();
  SleepPrecisely(sleep);
  const auto slept = std::chrono::steady_clock::now() - started;
  context_.mutex.Lock();
  throttle_.NoteOverslept(slept - sleep);
  CountStall(slept);
}

// Lets the log and the memtable grow without waiting for the system.
void StoreWriter::PrepareMore() noexcept {
  const std::shared_ptr<Memtable>& memtable = views_.current()->memtable.table;
  const bool will_grow = memtable->bytes() + Memtable::kPreparedBytes <
                         context_.options.write_buffer_bytes;
  preparer_.Request(log_, will_grow ? memtable : nullptr);
}

Status StoreWriter::MakeRoom() {
  const auto started = std::chrono::steady_clock::now();
  bool waited = false;
  Status status;
  while (true) {
    const bool is_full = views_.current()->memtable.table->bytes() >=
                         context_.options.write_buffer_bytes;
    if (!is_full && !log_failed_) break;
    if (!MustWaitForRoom()) {
      status = SwitchMemtable();
      break;
    }
    if (!background_.error().ok()) {
      status = background_.error();
      break;
    }
    if (background_.is_closing()) {
      status = context_.BeingClosed();
      break;
    }
    waited = true;
    background_.WaitForChange();
  }
  if (waited) CountStall(std::chrono::steady_clock::now() - started);
  return status;
}

// True: the memtable cannot be replaced before background work has progressed.
bool StoreWriter::MustWaitForRoom() const {
  const ReadView& view = *views_.current();
  return view.immutable.size() >= kMaxImmutableMemtables ||
         (context_.options.automatic_compaction &&
          view.version->level(0).size() >= context_.options.level0_stop_at);
}

void StoreWriter::CountStall(
    std::chrono::steady_clock::duration spent) noexcept {
  context_.done.stall_microseconds.fetch_add(
      static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::microseconds>(spent).count()),
      std::memory_order_relaxed);
}

bool StoreWriter::AnyLogNeedsRewriting() const {
  return std::any_of(older_logs_.begin(), older_logs_.end(),
                     [](const auto& log) { return log->needs_rewriting(); });
}

// If a log could not be synced, by us or by the process that had the store
// before, the system may have dropped its writes and still report success the
// next time: they count as durable only when they are in a table.
Status StoreWriter::WaitForFailedLogs() {
  background_.flushing().BeginWaiting();
  while (!background_.is_closing() && !background_.is_flush_failing() &&
         AnyLogNeedsRewriting()) {
    background_.WaitForChange();
  }
  background_.flushing().EndWaiting();
  if (!AnyLogNeedsRewriting()) return Status::Ok();
  const Status& error = background_.error();
  return Status(
      error.ok() ? StatusCode::kIoError : error.code(),
      context_.dir +
          ": a log could not be synced, or was inherited, and until "
          "what it holds is in a table no write can be made durable: " +
          error.message());
}

// Starts a new log and a new memtable; the old ones wait to be flushed.
Status StoreWriter::SwitchMemtable() {
  const std::uint64_t number = versions_.NewFileNumber();
  // All allocations come before anything is changed.
  auto next = std::make_shared<ReadView>(*views_.current());
  next->immutable.insert(next->immutable.begin(), views_.current()->memtable);
  next->memtable = {context_.NewMemtable(), number};
  older_logs_.reserve(older_logs_.size() + 1);
  Result<std::unique_ptr<WritableFile>> file =
      context_.env.Create(LogFileName(context_.dir, number), WriteKind::kLog);
  if (!file.ok()) return file.status();
  auto log = std::make_shared<WriteLog>(
      number, *std::move(file),
      log_ != nullptr ? log_->HeadOfNext() : LogHead());
  if (log_ != nullptr) older_logs_.push_back(std::move(log_));
  log_ = std::move(log);
  log_failed_ = false;
  log_name_is_synced_ = false;
  views_.Publish(std::move(next));
  background_.NotifyWorkers();
  return Status::Ok();
}

void StoreWriter::ForgetLogsUpTo(std::uint64_t number,
                                 Logs* forgotten) noexcept {
  std::erase_if(older_logs_, [&](std::shared_ptr<WriteLog>& log) {
    if (log->number() > number) return false;
    if (forgotten->size() < forgotten->capacity()) {
      forgotten->push_back(std::move(log));
    }
    return true;
  });
}

// Returns true if all writes of earlier logs are in tables.
bool StoreWriter::IsFlushedBefore(std::uint64_t log_number) const {
  const std::vector<LoggedMemtable>& immutable = views_.current()->immutable;
  return immutable.empty() || immutable.back().log_number >= log_number;
}

// Queues like a write, so that no other thread is writing.
Status StoreWriter::Flush() {
  if (context_.options.read_only) return Status::Ok();
  WriteBatch nothing;
  QueuedWrite write;
  write.batch = &nothing;
  write.is_alone = true;  // it waits for its turn alone
  const StoreLock lock(context_.mutex);
  if (!queue_.WaitForTurn(&write)) return write.status;
  Status status;
  if (!views_.current()->memtable.table->empty()) {
    status = NoThrow([this] {
      context_.mutex.AssertHeld();
      queue_.AssertTurn();
      return SwitchMemtable();
    });
  }
  queue_.EndTurn({}, status);
  if (!status.ok()) return status;
  background_.flushing().BeginWaiting();
  status = WaitForFlush(views_.current()->memtable.log_number);
  background_.flushing().EndWaiting();
  return status;
}

// Waits until all writes of logs before this one are in tables.
Status StoreWriter::WaitForFlush(std::uint64_t log_number) {
  while (!IsFlushedBefore(log_number)) {
    if (background_.is_flush_failing()) return background_.error();
    if (background_.is_closing()) {
      return background_.error().ok() ? context_.BeingClosed()
                                      : background_.error();
    }
    background_.WaitForChange();
  }
  return Status::Ok();
}

}  // namespace tamis
