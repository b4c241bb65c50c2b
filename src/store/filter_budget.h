// SPDX-License-Identifier: Apache-2.0
// store/filter_budget.h -- keeps the filters of a store within the memory that
// they may take, and spends it where it saves the most reads.
//
// Which filters are held is decided anew after tables have come or gone, when
// the limit changes, and when lookups often ask for filters that are not held.
// Filters of new tables are made with sizes that fit.  Range filters and
// filters of blocks, the second layer, get what is left, first come, first
// served.  FilterRoom makes sure of the limit, whatever is decided here.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "store/filter_plan.h"
#include "store/store_context.h"
#include "store/version_set.h"
#include "store/view_publisher.h"

namespace tamis {

// Thread-safe.  Does nothing as long as there is no limit.
class FilterBudget {
 public:
  // REQUIRES: all outlive this
  FilterBudget(StoreContext& context, ViewPublisher& views,
               VersionSet& versions)
      : context_(context), views_(views), versions_(versions) {}
  FilterBudget(const FilterBudget&) = delete;
  FilterBudget& operator=(const FilterBudget&) = delete;

  // Drops, folds and loads filters, and plans those of new tables.  What there
  // is no memory for waits for the next call.  REQUIRES: this thread has no
  // guard of the readers
  // Returns ok unless there was no memory to plan.
  Status Rebalance() noexcept TAMIS_EXCLUDES(kStoreMutex, turn_mutex_, mutex_);
  // The same; but if another thread is at it, that one starts again, and this
  // one does not wait.
  void RebalanceSoon() noexcept
      TAMIS_EXCLUDES(kStoreMutex, turn_mutex_, mutex_);
  // Nothing: no limit.  When it returns, no more is held than that.
  // ResourceExhausted: more is held, for lack of memory to change it.
  // REQUIRES: as above
  Status SetLimit(std::optional<std::uint64_t> bytes) noexcept
      TAMIS_EXCLUDES(kStoreMutex, turn_mutex_, mutex_);

  // Reads the filter of that table again, in place of the one that lookups use,
  // which is freed.  REQUIRES: as above
  Status ReloadFilterOf(const TableFileRef& table) noexcept
      TAMIS_EXCLUDES(kStoreMutex, turn_mutex_, mutex_);

  // A table of level 0 is about to be written, with so many entries.
  void WillFlush(std::uint64_t entries) noexcept
      TAMIS_EXCLUDES(kStoreMutex, mutex_);

  // Counts of earlier openings, to which those of this one are added.
  void Remember(const AskedCounts& asked) noexcept TAMIS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    asked_.Remember(asked);
  }
  // Returns all of these; what was counted long ago weighs less.
  AskedCounts Asked() const TAMIS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return asked_.At(CountAll());
  }
  // True: there is a limit, or was one.
  bool was_limited() const noexcept {
    return was_limited_.load(std::memory_order_relaxed);
  }

 private:
  AskedCounts CountAll() const;
  FilterPlanInput Input() const TAMIS_REQUIRES(mutex_);
  void Age(const Version& version) TAMIS_REQUIRES(mutex_);
  LevelKeys KeysFor(const Version& version) TAMIS_REQUIRES(mutex_);
  // Filters to load, which may take long: other threads may change the version
  // meanwhile, but no other thread loads or drops any.
  struct Loading {
    TableFileRef table;
    unsigned to = 0;  // TableFilter::divisor()
  };
  struct Loads {
    std::vector<Loading> filters;
    std::vector<TableFileRef> ranges;  // their range filters
    std::vector<TableFileRef> blocks;  // their filters of blocks
    bool are_all = false;              // there are no others to load

    std::size_t count() const noexcept { return ranges.size() + blocks.size(); }
  };
  Status TakeTurns() noexcept TAMIS_REQUIRES(turn_mutex_)
      TAMIS_EXCLUDES(kStoreMutex, mutex_);
  void CatchUp() noexcept TAMIS_EXCLUDES(kStoreMutex, turn_mutex_, mutex_);
  Loads Hold(const Version& version, bool loads_filters)
      TAMIS_REQUIRES(turn_mutex_, mutex_);
  bool Load(const Loads& loads) TAMIS_REQUIRES(turn_mutex_);
  bool Load(const Loading& loading) TAMIS_REQUIRES(turn_mutex_);
  bool Drop(const Version& version, const TableFileRef& table);
  bool LacksRoomFor(const std::vector<FilterChange>& changes,
                    const Version& version) const;
  void ChooseOtherFilters(const Version& version, Loads* loads) const;
  void PlanNew(const Version& version) TAMIS_REQUIRES(mutex_);

  StoreContext& context_;
  ViewPublisher& views_;
  VersionSet& versions_;
  std::atomic<bool> was_limited_{false};
  // Held by the thread that drops and loads filters; taken before all others.
  Mutex turn_mutex_;
  // A thread that could not have it wants the work to be done again.
  std::atomic<bool> must_start_again_{false};
  // Taken after that of VersionSet, before the store's.
  mutable Mutex mutex_;
  // An epoch is long enough for counts of all levels, and short enough to
  // follow what a program does by day and by night.
  FadingCounts asked_ TAMIS_GUARDED_BY(mutex_){10'000'000};
  // The tables that level 0 had lately, and the keys of one: there will be as
  // many again, and their filters need room, too.
  double level0_tables_ TAMIS_GUARDED_BY(mutex_) = 0;
  std::uint64_t level0_keys_ TAMIS_GUARDED_BY(mutex_) = 0;
  // Of the last plan for new tables.
  std::optional<LevelKeys> planned_keys_ TAMIS_GUARDED_BY(mutex_);
  std::uint64_t planned_limit_ TAMIS_GUARDED_BY(mutex_) = 0;
};

}  // namespace tamis
