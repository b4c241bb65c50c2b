// SPDX-License-Identifier: Apache-2.0
// Runs a compaction: the tables of a job are merged into new ones, which then
// replace them.  A large job is divided into disjoint ranges of keys, and each
// range is merged by a separate thread.

#include <algorithm>
#include <string>
#include <utility>

#include "base/mapping_guard.h"
#include "base/no_throw.h"
#include "base/worker_threads.h"
#include "store/compact_range.h"
#include "store/compactor.h"
#include "store/new_tables.h"
#include "store/write_throttle.h"

namespace tamis {
namespace {

// Less than this is not worth another thread.
constexpr std::uint64_t kMinBytesPerThread = std::uint64_t{4} << 20;

// Adds the removal of all inputs of the job.
void AddRemoved(const CompactionJob& job, VersionEdit* edit) {
  for (const TableFileRef& file : job.upper) {
    edit->removed.emplace_back(job.level, file->number());
  }
  for (const TableFileRef& file : job.lower) {
    edit->removed.emplace_back(job.output_level, file->number());
  }
}

}  // namespace

Compactor::Compactor(StoreContext& context, ViewPublisher& views,
                     BackgroundState& background, VersionSet& versions,
                     FilterBudget& budget)
    : context_(context),
      views_(views),
      background_(background),
      versions_(versions),
      budget_(budget) {
  threads_[1].sort = JobSort::kBelow;
}

void Compactor::Start() {
  // A thread inherits the signal mask of the thread that starts it.
  const bool unblock = context_.options.guard_mappings;
  for (Thread& thread : threads_) {
    thread.thread = std::thread([this, unblock, &thread] {
      if (unblock) UnblockFaults();
      Run(thread);
    });
  }
}

void Compactor::Join() {
  for (Thread& thread : threads_) {
    if (thread.thread.joinable()) thread.thread.join();
  }
}

bool Compactor::IsNeeded() const {
  if (!context_.options.automatic_compaction) return false;
  const Version& version = *views_.current()->version;
  const CompactionLimits limits = context_.Limits();
  for (int i = 0; i < kStoreLevels - 1; ++i) {
    if (CompactionScore(version, limits, i) >= 1.0) return true;
  }
  return false;
}

void Compactor::Run(Thread& self) {
  unsigned failures = 0;
  StoreLock lock(context_.mutex);
  while (!background_.is_closing()) {
    Status status = NoThrow([&] {
      context_.mutex.AssertHeld();
      return TakeJob(&self);
    });
    if (status.ok() && self.job == nullptr) {
      background_.WaitForWork();
      continue;
    }
    if (status.ok()) {
      const CompactionJob& job = *self.job;
      const MergeThreads threads = {.most = self.merging,
                                    .give_way = context_.GiveWayUntil(
                                        background_.compacting().is_urgent())};
      lock.Unlock();
      status = NoThrow([&] { return RunJob(job, threads); });
      ReleaseJob(&self);
      lock.Lock();
    }
    const bool done = status.ok();
    self.is_busy = false;
    self.is_retrying = !done;
    if (done) {
      if (failures > 0) background_.ClearError();
      failures = 0;
    } else if (!background_.is_closing()) {
      background_.NoteError(std::move(status), "compacting");
    }
    // The other thread may have waited for this one.
    background_.NotifyWorkers();
    background_.NotifyWaiters();
    if (!done && !background_.WaitToRetry(++failures)) return;
    self.is_retrying = false;
  }
}

// Sets self->job, if there is one to run now.
Status Compactor::TakeJob(Thread* self) {
  if (waiting_ > 0 || is_exclusive_ || !context_.options.automatic_compaction) {
    return Status::Ok();
  }
  const Thread& other = OtherOf(*self);
  const unsigned threads = context_.options.compaction_threads;
  std::optional<CompactionJob> job =
      PickCompaction(*views_.current()->version, context_.Limits(), self->sort,
                     {.running = other.job.get(),
                      .is_ready = !other.is_retrying,
                      .excludes = threads == 1});
  if (!job) return Status::Ok();
  background_.compacting().NoteBacklog(CompactionBacklog(
      *views_.current()->version, context_.Limits(), context_.options));
  self->job = std::make_unique<const CompactionJob>(*std::move(job));
  self->is_busy = true;
  self->merging = threads > other.merging ? threads - other.merging : 1;
  return Status::Ok();
}

// Releases what the job holds, without the mutex: the last reference to a table
// removes its file.
void Compactor::ReleaseJob(Thread* self) {
  std::unique_ptr<const CompactionJob> released;
  {
    const StoreLock lock(context_.mutex);
    released.swap(self->job);
    self->merging = 0;
  }
  released.reset();
  views_.ReleaseRetired();
  budget_.RebalanceSoon();
}

Status Compactor::MoveTable(const CompactionJob& job) {
  const TableFile& file = *job.upper.front();
  VersionEdit edit;
  edit.removed.emplace_back(job.level, file.number());
  edit.added.emplace_back(job.output_level, file.metadata());
  edit.compact_pointers.emplace_back(job.level, std::string(file.largest()));
  Status applied = versions_.LogAndApply(std::move(edit));
  if (applied.ok()) context_.done.moves.fetch_add(1, std::memory_order_relaxed);
  return applied;
}

// Merges the tables of the job; each item of the result is one range of keys.
Result<Compactor::Outputs> Compactor::Merge(const CompactionJob& job,
                                            const MergeThreads& threads) {
  const std::shared_ptr<const ReadView> view = views_.Current();
  const std::uint64_t parts = std::clamp<std::uint64_t>(
      job.bytes() / kMinBytesPerThread, 1, threads.most);
  const std::vector<std::string> cuts = CutsOf(job, context_.order, parts);
  Outputs outputs(cuts.size() + 1);
  for (std::unique_ptr<TableOutputs>& part : outputs) {
    part = NewTableOutputs(context_, versions_, job.output_level);
  }
  const std::vector<Sequence> snapshots = context_.snapshots.All();
  const auto run = [&](std::size_t i, unsigned worker) {
    // Worker 0 is the caller's thread.
    if (worker > 0 && context_.options.guard_mappings) UnblockFaults();
    CompactRange range;
    range.job = &job;
    range.version = view->version.get();
    range.snapshots = snapshots;
    range.table_bytes = context_.options.table_bytes;
    range.stop = &stop_;
    range.give_way = threads.give_way;
    if (i > 0) range.from = cuts[i - 1];
    if (i < cuts.size()) range.to = cuts[i];
    return MergeRange(range, outputs[i].get());
  };
  Status merged =
      RunTasks(static_cast<unsigned>(outputs.size()), outputs.size(), run);
  if (!merged.ok()) return merged;
  return outputs;
}

Status Compactor::RunJob(const CompactionJob& job,
                         const MergeThreads& threads) {
  if (job.is_move()) return MoveTable(job);
  Result<Outputs> outputs = Merge(job, threads);
  if (!outputs.ok()) return outputs.status();
  VersionEdit edit;
  std::uint64_t written = 0;
  for (const std::unique_ptr<TableOutputs>& part : *outputs) {
    written += part->bytes();
    Result<std::vector<FileMetadata>> some = part->Finish();
    // Tables of earlier parts stay on disk until the store is opened next.
    if (!some.ok()) return some.status();
    for (FileMetadata& table : *some) {
      edit.added.emplace_back(job.output_level, std::move(table));
    }
  }
  AddRemoved(job, &edit);
  if (job.level != job.output_level) {
    edit.compact_pointers.emplace_back(job.level,
                                       LargestKey(job, context_.order));
  }
  Status applied = versions_.LogAndApply(std::move(edit));
  if (applied.ok()) NoteDone(job, written);
  return applied;
}

void Compactor::NoteDone(const CompactionJob& job,
                         std::uint64_t written) noexcept {
  WorkCounters& done = context_.done;
  done.compactions.fetch_add(1, std::memory_order_relaxed);
  done.compaction_bytes_read.fetch_add(job.bytes(), std::memory_order_relaxed);
  done.compaction_bytes_written.fetch_add(written, std::memory_order_relaxed);
  // The compaction is done, whether there is memory for the line or not.
  (void)NoThrow([&] {
    context_.info_log.Write(
        "compacted " + std::to_string(job.upper.size()) + " tables of level " +
        std::to_string(job.level) + " and " + std::to_string(job.lower.size()) +
        " of level " + std::to_string(job.output_level) + ", " +
        std::to_string(job.bytes()) + " bytes, into " +
        std::to_string(written) + " bytes");
    return Status::Ok();
  });
}

}  // namespace tamis
