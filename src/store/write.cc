// Writing: log before memtable, and one writer at a time does it for all that
// wait.  Whoever comes to the front of the queue takes the batches behind it
// along.

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/no_throw.h"
#include "formats/line_view.h"
#include "store/batch_access.h"
#include "store/file_names.h"
#include "store/store_impl.h"

namespace tamis {
namespace {

// Memtables that wait to be flushed; one more is being written to.
constexpr std::size_t kMostFrozen = 2;
// Writers sleep this long at least: shorter sleeps are never that short.
constexpr double kSleepNanoseconds = 1e6;

}  // namespace

Status StoreImpl::Write(const WriteOptions& options, WriteBatch* batch) {
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
  std::vector<std::shared_ptr<WriteLog>> older;
  // Until this is done nothing has happened, so it may fail.
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
      // The write is durable, whatever becomes of the mark.
      if (write.sync) log_is_fine = MarkSynced();
    }
    lock.Lock();
    if (!log_is_fine) log_failed_ = true;
  }
  queue_.EndTurn(group, status);
  return status;
}

// Sees to it that the log and the memtable can take the write.
Status StoreImpl::MakeReady(const QueuedWrite& write) {
  // Nothing that is synced from now on may rest on such a log.
  if (write.sync && log_->is_inherited()) log_failed_ = true;
  Status ready = MakeRoom(write.batch->bytes());
  return ready.ok() && write.sync ? WaitForFailedLogs() : ready;
}

// The last number of all is never given out: a log could not be read again
// that holds it.
std::uint64_t StoreImpl::NumbersLeft() const noexcept {
  return context_.last_sequence < kMaxSequence
             ? kMaxSequence - 1 - context_.last_sequence
             : 0;
}

// Gives the group its numbers, and makes room for it in the memtable: once it
// is in the log nothing may keep it from being applied, all of it.
Status StoreImpl::PrepareGroup(WriteBatch* group) {
  if (group->count() > NumbersLeft() ||
      context_.last_sequence >= kMaxSequence) {
    return Status::ResourceExhausted(
        context_.dir +
        ": no sequence numbers are left for this write; the store can be read: "
        "copy it into a new one, by tamis db scan and tamis db load");
  }
  views_.current()->memtable.table->Reserve(group->count(), group->bytes());
  BatchAccess::SetSequence(group, context_.last_sequence + 1);
  // Also if it fails: its numbers may stand in the log.
  context_.last_sequence += group->count();
  return Status::Ok();
}

// REQUIRES, for these three: this thread is at the front of the queue

Status StoreImpl::Append(const WriteBatch& batch) {
  if (batch.count() == 0) return Status::Ok();  // it is only to be synced
  const std::uint64_t before = log_->bytes();
  Status logged = log_->Append(batch);
  context_.done.log_bytes.fetch_add(log_->bytes() - before,
                                    std::memory_order_relaxed);
  return logged;
}

// A write that is durable must not be so without those before it, which may be
// in older logs.
Status StoreImpl::SyncLogs(
    const std::vector<std::shared_ptr<WriteLog>>& older) {
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

// False: the log must not be written any more.
bool StoreImpl::MarkSynced() noexcept {
  const Status marked = NoThrow([this] {
    queue_.AssertTurn();
    return log_->MarkSynced();
  });
  return marked.ok();
}

Status StoreImpl::Apply(const WriteBatch& batch, Memtable* memtable) {
  if (batch.count() == 0) return Status::Ok();
  const LineSeeds& seeds = context_.tables.seeds;
  Sequence sequence = BatchAccess::sequence(batch);
  std::uint64_t bytes = 0;
  Status applied = ForEachChange(
      batch.contents(), [&](ValueType type, Slice key, Slice value) {
        memtable->Add(sequence, type, key, value, LineDigest(key, seeds.own));
        ++sequence;
        bytes += key.size() + value.size();
      });
  log_->Acknowledge(sequence);
  context_.visible.store(sequence - 1, std::memory_order_release);
  context_.done.writes.fetch_add(1, std::memory_order_relaxed);
  context_.done.bytes_put.fetch_add(bytes, std::memory_order_relaxed);
  return applied;
}

Status StoreImpl::MakeRoom(std::size_t bytes) {
  SlowDown(bytes);
  const auto started = std::chrono::steady_clock::now();
  bool waited = false;
  Status status;
  while (true) {
    const bool is_full = views_.current()->memtable.table->bytes() >=
                         context_.options.write_buffer_bytes;
    if (!is_full && !log_failed_) break;
    const bool must_wait = views_.current()->frozen.size() >= kMostFrozen ||
                           (context_.options.automatic_compaction &&
                            views_.current()->version->level(0).size() >=
                                context_.options.level0_stop_at);
    if (!must_wait) {
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
  if (waited) {
    const auto spent = std::chrono::steady_clock::now() - started;
    context_.done.stall_microseconds.fetch_add(
        static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(spent)
                .count()),
        std::memory_order_relaxed);
  }
  return status;
}

// Whatever a log holds that could not be synced, by us or by the process that
// had the store before, the system may have dropped, and say ok the next time:
// it counts as durable only when it is in a table.
Status StoreImpl::WaitForFailedLogs() {
  const auto any_failed = [this] {
    context_.mutex.AssertHeld();
    return std::any_of(older_logs_.begin(), older_logs_.end(),
                       [](const auto& log) { return log->needs_rewriting(); });
  };
  while (!background_.is_closing() && !background_.is_flush_failing() &&
         any_failed()) {
    background_.WaitForChange();
  }
  if (!any_failed()) return Status::Ok();
  return Status(
      background_.error().ok() ? StatusCode::kIoError
                               : background_.error().code(),
      context_.dir +
          ": a log could not be synced, or was inherited, and until what " +
          "it holds is in a table no write can be made durable: " +
          background_.error().message());
}

// A new log and a new memtable; the old ones wait to be flushed.
// REQUIRES: context_.mutex is held, by the writer at the front or before there
// are any
Status StoreImpl::SwitchMemtable() {
  const std::uint64_t number = versions_.NewFileNumber();
  // All that takes memory comes before anything is changed.
  auto next = std::make_shared<ReadView>(*views_.current());
  next->frozen.insert(next->frozen.begin(), views_.current()->memtable);
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

// 0 while background work keeps up; rises without bound as level 0 nears the
// number of tables at which writers must wait, or as debt gathers.
double StoreImpl::SlowdownNanosecondsPerByte() const {
  if (!context_.options.automatic_compaction) return 0;
  const Version& version = *views_.current()->version;
  const auto tables = static_cast<double>(version.level(0).size());
  const double slow = context_.options.level0_slow_at;
  const double stop = context_.options.level0_stop_at;
  double full = stop > slow ? (tables - slow) / (stop - slow) : 0;
  const CompactionLimits limits = context_.Limits();
  // As much as five times level 2 is a debt that grows faster than it is paid.
  const auto much = static_cast<double>(limits.LevelBytes(2)) * 5;
  full = std::max(
      full, static_cast<double>(CompactionDebt(version, limits)) / much - 0.5);
  if (full <= 0) return 0;
  // At half way, 20 ns per byte: 50 MB per second.
  constexpr double kHalfWay = 20.0;
  full = std::min(full, 0.98);
  return kHalfWay * full / (1.0 - full);
}

void StoreImpl::SlowDown(std::size_t bytes) {
  const double rate = SlowdownNanosecondsPerByte();
  if (rate <= 0) {
    owed_nanoseconds_ = 0;
    return;
  }
  owed_nanoseconds_ += rate * static_cast<double>(bytes);
  if (owed_nanoseconds_ < kSleepNanoseconds) return;
  const auto sleep = std::chrono::nanoseconds(
      static_cast<std::int64_t>(std::min(owed_nanoseconds_, 1e8)));
  owed_nanoseconds_ = 0;
  context_.mutex.Unlock();
  std::this_thread::sleep_for(sleep);
  context_.mutex.Lock();
  context_.done.stall_microseconds.fetch_add(
      static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::microseconds>(sleep).count()),
      std::memory_order_relaxed);
}

}  // namespace tamis
