// Doing a compaction: the tables of a job are merged into new ones, which then
// take their place.  A large job is cut into ranges of keys that do not
// overlap, and each range is merged by a thread of its own.

#include <algorithm>
#include <utility>

#include "base/mapping_guard.h"
#include "base/no_throw.h"
#include "base/worker_threads.h"
#include "store/compact_range.h"
#include "store/new_tables.h"
#include "store/store_impl.h"
#include "store/table_outputs.h"

namespace tamis {
namespace {

// What is less than this is not worth another thread.
constexpr std::uint64_t kLeastBytesPerThread = std::uint64_t{4} << 20;

}  // namespace

Status StoreImpl::MoveTable(const CompactionJob& job) {
  const TableFile& file = *job.upper.front();
  VersionEdit edit;
  edit.removed.emplace_back(job.level, file.number());
  edit.added.emplace_back(job.output_level, file.facts());
  edit.compact_pointers.emplace_back(job.level, std::string(file.largest()));
  Status applied = versions_.LogAndApply(std::move(edit));
  if (applied.ok()) context_.done.moves.fetch_add(1, std::memory_order_relaxed);
  return applied;
}

Status StoreImpl::RunCompaction(const CompactionJob& job) {
  if (job.is_move()) return MoveTable(job);
  const std::shared_ptr<const ReadView> view = views_.Current();
  const std::uint64_t parts =
      std::clamp<std::uint64_t>(job.bytes() / kLeastBytesPerThread, 1,
                                context_.options.compaction_threads);
  const std::vector<std::string> cuts = CutsOf(job, context_.order, parts);

  std::vector<std::unique_ptr<TableOutputs>> outputs(cuts.size() + 1);
  for (std::unique_ptr<TableOutputs>& part : outputs)
    part = NewTableOutputs(context_, versions_);
  const std::vector<Sequence> snapshots = context_.snapshots.All();
  const auto run = [&](std::size_t i, unsigned worker) {
    // The first is the caller's own thread.
    if (worker > 0 && context_.options.guard_mappings) UnblockFaults();
    CompactRange range;
    range.job = &job;
    range.version = view->version.get();
    range.snapshots = snapshots;
    range.table_bytes = context_.options.table_bytes;
    range.stop = &stop_compactions_;
    if (i > 0) range.from = cuts[i - 1];
    if (i < cuts.size()) range.to = cuts[i];
    return MergeRange(range, outputs[i].get());
  };
  const auto threads = static_cast<unsigned>(outputs.size());
  if (Status merged = RunTasks(threads, outputs.size(), run); !merged.ok()) {
    return merged;
  }

  VersionEdit edit;
  std::uint64_t written = 0;
  for (const std::unique_ptr<TableOutputs>& part : outputs) {
    written += part->bytes();
    Result<std::vector<FileFacts>> some = part->Finish();
    // Those of the parts before stay behind, until the store is opened next.
    if (!some.ok()) return some.status();
    for (FileFacts& table : *some) {
      edit.added.emplace_back(job.output_level, std::move(table));
    }
  }
  for (const TableFileRef& file : job.upper) {
    edit.removed.emplace_back(job.level, file->number());
  }
  for (const TableFileRef& file : job.lower) {
    edit.removed.emplace_back(job.output_level, file->number());
  }
  if (job.level != job.output_level) {
    edit.compact_pointers.emplace_back(job.level,
                                       LargestKey(job, context_.order));
  }
  if (Status applied = versions_.LogAndApply(std::move(edit)); !applied.ok()) {
    return applied;
  }
  context_.done.compactions.fetch_add(1, std::memory_order_relaxed);
  context_.done.compaction_bytes_read.fetch_add(job.bytes(),
                                                std::memory_order_relaxed);
  context_.done.compaction_bytes_written.fetch_add(written,
                                                   std::memory_order_relaxed);
  // It is done, whether there is memory for the line or not.
  (void)NoThrow([&] {
    context_.info_log.Write(
        "compacted " + std::to_string(job.upper.size()) + " tables of level " +
        std::to_string(job.level) + " and " + std::to_string(job.lower.size()) +
        " of level " + std::to_string(job.output_level) + ", " +
        std::to_string(job.bytes()) + " bytes, into " +
        std::to_string(written) + " bytes");
    return Status::Ok();
  });
  return Status::Ok();
}

void StoreImpl::CompactLoop() {
  unsigned failures = 0;
  StoreLock lock(context_.mutex);
  while (true) {
    while (!background_.is_closing() &&
           (is_compacting_ || manual_waiting_ > 0 || !NeedsCompaction())) {
      background_.WaitForWork();
    }
    if (background_.is_closing()) return;
    is_compacting_ = true;
    lock.Unlock();
    Status status = NoThrow([this] { return RunMostUrgent(); });
    const bool done = status.ok();
    views_.ReleaseRetired();
    lock.Lock();
    is_compacting_ = false;
    if (done) {
      if (failures > 0) background_.ClearError();
      failures = 0;
    } else if (!background_.is_closing()) {
      background_.NoteError(std::move(status), "compacting");
    }
    background_.NotifyWaiters();
    if (!done && !background_.WaitToRetry(++failures)) return;
  }
}

Status StoreImpl::RunMostUrgent() {
  const std::shared_ptr<const ReadView> view = views_.Current();
  const std::optional<CompactionJob> job = PickCompaction(
      *view->version, context_.Limits(), versions_.compact_pointers());
  return job ? RunCompaction(*job) : Status::Ok();
}

}  // namespace tamis
