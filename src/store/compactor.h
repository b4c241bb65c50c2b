// SPDX-License-Identifier: Apache-2.0
// store/compactor.h -- runs compactions, one at a time: those that the levels
// need, on its own thread, and those that are requested.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "store/background_state.h"
#include "store/compact_pick.h"
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
            BackgroundState& background, VersionSet& versions);
  Compactor(const Compactor&) = delete;
  Compactor& operator=(const Compactor&) = delete;

  // ---- compact_run.cc
  // Throws std::system_error: no thread can be started.
  void Start();
  bool has_started() const noexcept { return thread_.joinable(); }
  // Makes compactions end soon, with an error.
  void Stop() noexcept { stop_.store(true, std::memory_order_relaxed); }
  // Returns when the thread has ended.  REQUIRES: it has started, and the store
  // is being closed
  void Join() TAMIS_EXCLUDES(kStoreMutex) { thread_.join(); }

  // True: a compaction is running.
  bool is_busy() const noexcept TAMIS_REQUIRES(kStoreMutex) { return is_busy_; }
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
  using IsFine = std::function<Result<bool>(const TableFile&)>;

  // ---- compact_run.cc
  void Run() TAMIS_EXCLUDES(kStoreMutex);
  Status RunMostUrgent() TAMIS_EXCLUDES(kStoreMutex);
  Status RunJob(const CompactionJob& job) TAMIS_EXCLUDES(kStoreMutex);
  Status MoveTable(const CompactionJob& job) TAMIS_EXCLUDES(kStoreMutex);
  Result<Outputs> Merge(const CompactionJob& job) TAMIS_EXCLUDES(kStoreMutex);
  void NoteDone(const CompactionJob& job, std::uint64_t written) noexcept;

  // ---- compact_manual.cc
  Status RunExclusively(const Pick& pick, CompactReport* report)
      TAMIS_EXCLUDES(kStoreMutex);
  Status CompactLevels(const KeyRange& range, CompactReport* report)
      TAMIS_EXCLUDES(kStoreMutex);
  Status RewriteUnless(const KeyRange& range, const IsFine& is_fine,
                       CompactReport* report) TAMIS_EXCLUDES(kStoreMutex);
  Result<bool> HasWantedFilter(const TableFile& file) const;
  Result<bool> IsAsWanted(const TableFile& file) const;

  StoreContext& context_;
  ViewPublisher& views_;
  BackgroundState& background_;
  VersionSet& versions_;
  std::atomic<bool> stop_{false};
  bool is_busy_ TAMIS_GUARDED_BY(kStoreMutex) = false;
  // The number of waiting Compact() calls, which go next.
  unsigned waiting_ TAMIS_GUARDED_BY(kStoreMutex) = 0;
  std::thread thread_;
};

}  // namespace tamis
