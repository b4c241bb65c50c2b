// SPDX-License-Identifier: Apache-2.0
// store/compactor.h -- runs compactions: those that the levels need, on two
// threads of its own, one for level 0 and one for the levels below, and those
// that are requested, alone.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/give_way.h"
#include "store/background_state.h"
#include "store/compact_pick.h"
#include "store/filter_budget.h"
#include "store/store_context.h"
#include "store/table_outputs.h"
#include "store/version_set.h"
#include "store/view_publisher.h"
#include "tamis/store.h"

namespace tamis {

class Compactor {
 public:
  // REQUIRES: all outlive this
  Compactor(StoreContext& context, ViewPublisher& views,
            BackgroundState& background, VersionSet& versions,
            FilterBudget& budget);
  Compactor(const Compactor&) = delete;
  Compactor& operator=(const Compactor&) = delete;

  // ---- compact_run.cc
  // Throws std::system_error: a thread cannot be started; the other one may
  // have been.
  void Start();
  bool has_started() const noexcept {
    return threads_.front().thread.joinable();
  }
  // Makes compactions end soon, with an error.
  void Stop() noexcept { stop_.store(true, std::memory_order_relaxed); }
  // Returns when the threads that have started have ended.  REQUIRES: the store
  // is being closed
  void Join() TAMIS_EXCLUDES(kStoreMutex);

  // True: a compaction is running.
  bool is_busy() const noexcept TAMIS_REQUIRES(kStoreMutex) {
    return is_exclusive_ || threads_[0].is_busy || threads_[1].is_busy;
  }
  // True: some level exceeds its limits and should be compacted.
  bool IsNeeded() const TAMIS_REQUIRES(kStoreMutex);

  // ---- compact_manual.cc
  // As Store::CompactWith(), for what is in tables.
  Result<CompactReport> Compact(const CompactOptions& options)
      TAMIS_EXCLUDES(kStoreMutex);

 private:
  using Outputs = std::vector<std::unique_ptr<TableOutputs>>;
  // Picks the next job; nothing: there are no more.
  using Pick = std::function<std::optional<CompactionJob>(const Version&)>;
  using IsFine = std::function<Result<bool>(int level, const TableFile&)>;

  struct MergeThreads {
    unsigned most = 1;  // so many work at a time
    GiveWay give_way;
  };

  // A thread that runs the jobs of one sort.
  struct Thread {
    JobSort sort = JobSort::kLevel0;
    std::thread thread;
    // It has a job, or has not released all of the last one yet.
    bool is_busy TAMIS_GUARDED_BY(kStoreMutex) = false;
    // Its last job failed, and it waits before it tries again.
    bool is_retrying TAMIS_GUARDED_BY(kStoreMutex) = false;
    // What it merges.  Written by the thread itself only.
    std::unique_ptr<const CompactionJob> job TAMIS_GUARDED_BY(kStoreMutex);
    unsigned merging TAMIS_GUARDED_BY(kStoreMutex) = 0;  // threads
  };

  // ---- compact_run.cc
  void Run(Thread& self) TAMIS_EXCLUDES(kStoreMutex);
  Status TakeJob(Thread* self) TAMIS_REQUIRES(kStoreMutex);
  void ReleaseJob(Thread* self) TAMIS_EXCLUDES(kStoreMutex);
  const Thread& OtherOf(const Thread& self) const noexcept {
    return &self == &threads_[0] ? threads_[1] : threads_[0];
  }
  Status RunJob(const CompactionJob& job, const MergeThreads& threads)
      TAMIS_EXCLUDES(kStoreMutex);
  Status MoveTable(const CompactionJob& job) TAMIS_EXCLUDES(kStoreMutex);
  Result<Outputs> Merge(const CompactionJob& job, const MergeThreads& threads)
      TAMIS_EXCLUDES(kStoreMutex);
  void NoteDone(const CompactionJob& job, std::uint64_t written) noexcept;

  // ---- compact_manual.cc
  Status RunExclusively(const Pick& pick, CompactReport* report)
      TAMIS_EXCLUDES(kStoreMutex);
  Status CompactLevels(const KeyRange& range, CompactReport* report)
      TAMIS_EXCLUDES(kStoreMutex);
  Status RewriteUnless(const KeyRange& range, const IsFine& is_fine,
                       CompactReport* report) TAMIS_EXCLUDES(kStoreMutex);
  Result<bool> HasWantedFilter(int level, const TableFile& file) const;
  Result<bool> IsAsWanted(int level, const TableFile& file) const;

  StoreContext& context_;
  ViewPublisher& views_;
  BackgroundState& background_;
  VersionSet& versions_;
  FilterBudget& budget_;
  std::atomic<bool> stop_{false};
  // A Compact() call is running, and no other compaction.
  bool is_exclusive_ TAMIS_GUARDED_BY(kStoreMutex) = false;
  // The number of waiting Compact() calls, which go next.
  unsigned waiting_ TAMIS_GUARDED_BY(kStoreMutex) = 0;
  std::array<Thread, 2> threads_;
};

}  // namespace tamis
