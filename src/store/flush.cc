// SPDX-License-Identifier: Apache-2.0
// Flushing: the oldest immutable memtable becomes a table of level 0, and its
// log is no longer needed.

#include <utility>

#include "base/give_way.h"
#include "base/mapping_guard.h"
#include "base/no_throw.h"
#include "store/flusher.h"
#include "store/new_tables.h"
#include "store/write_throttle.h"

namespace tamis {

Flusher::Flusher(StoreContext& context, ViewPublisher& views,
                 BackgroundState& background, VersionSet& versions,
                 StoreWriter& writer, FilterBudget& budget)
    : context_(context),
      views_(views),
      background_(background),
      versions_(versions),
      writer_(writer),
      budget_(budget) {}

void Flusher::Start() {
  // A thread inherits the signal mask of the thread that starts it.
  const bool unblock = context_.options.guard_mappings;
  thread_ = std::thread([this, unblock] {
    if (unblock) UnblockFaults();
    Run();
  });
}

void Flusher::Run() {
  unsigned failures = 0;
  StoreLock lock(context_.mutex);
  while (true) {
    while (!background_.is_closing() && views_.current()->immutable.empty()) {
      background_.WaitForWork();
    }
    if (background_.is_closing()) return;
    is_busy_ = true;
    background_.flushing().NoteBacklog(
        FlushBacklog(*views_.current(), context_.options));
    lock.Unlock();
    Status flushed = NoThrow([this] { return FlushOldest(); });
    const bool done = flushed.ok();
    views_.ReleaseRetired();
    budget_.RebalanceSoon();
    lock.Lock();
    is_busy_ = false;
    background_.NotifyPreparer();  // the memtable has left its memory
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

Status Flusher::FlushOldest() {
  // The view is released early: the tables of its version may become obsolete.
  std::shared_ptr<const ReadView> view = views_.Current();
  const LoggedMemtable oldest = view->immutable.back();
  const std::uint64_t next_log =
      view->immutable.size() > 1
          ? view->immutable[view->immutable.size() - 2].log_number
          : view->memtable.log_number;
  view.reset();
  budget_.WillFlush(oldest.table->entries());
  const std::unique_ptr<TableOutputs> outputs =
      NewTableOutputs(context_, versions_, 0);
  Status written =
      WriteMemtable(*oldest.table, context_, outputs.get(),
                    context_.GiveWayUntil(background_.flushing().is_urgent()));
  if (!written.ok()) return written;
  const std::uint64_t bytes = outputs->bytes();
  Result<std::vector<FileMetadata>> tables = outputs->Finish();
  if (!tables.ok()) return tables.status();

  VersionEdit edit;
  edit.log_number = next_log;
  edit.previous_log_number = 0;
  for (FileMetadata& table : *tables)
    edit.added.emplace_back(0, std::move(table));
  constexpr std::size_t kMaxLogs = 8;
  StoreWriter::Logs forgotten;
  forgotten.reserve(kMaxLogs);
  const auto is_flushed = [this, bytes, &forgotten](ReadView* next) {
    context_.mutex.AssertHeld();
    const std::uint64_t number = next->immutable.back().log_number;
    next->immutable.pop_back();
    writer_.ForgetLogsUpTo(number, &forgotten);
    // From now on threads that wait for a flush must not see an earlier
    // failure.
    background_.set_flush_failed(false);
    context_.done.flushes.fetch_add(1, std::memory_order_relaxed);
    context_.done.flush_bytes.fetch_add(bytes, std::memory_order_relaxed);
  };
  Status applied = versions_.LogAndApply(std::move(edit), is_flushed);
  if (!applied.ok()) return applied;
  forgotten.clear();
  // The flush is done, whether the logs can be removed or not.
  (void)NoThrow([this] {
    versions_.RemoveOldLogs();
    return Status::Ok();
  });
  return Status::Ok();
}

}  // namespace tamis
