// SPDX-License-Identifier: Apache-2.0
// store/router_keeper.h -- keeps a router of the keys of level 0 while that has
// many tables: a thread reads the keys of new tables and adds them, and lookups
// follow the routes from then on.
//
// A router is made when lookups have come, and dropped when level 0 has become
// small, or when there is no room for it any more.  One that is full is
// replaced by a larger one, for which the tables are read again.
// docs/design/10-many-tables.md explains it.

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <thread>

#include "base/mutex.h"
#include "filters/router/key_router.h"
#include "store/background_state.h"
#include "store/filter_budget.h"
#include "store/routes.h"
#include "store/store_context.h"
#include "store/version_set.h"
#include "store/view_publisher.h"
#include "table/filter_room.h"

namespace tamis {

// Thread-safe.
class RouterKeeper {
 public:
  // REQUIRES: all outlive this
  RouterKeeper(StoreContext& context, ViewPublisher& views,
               BackgroundState& background, VersionSet& versions,
               FilterBudget& budget)
      : context_(context),
        views_(views),
        background_(background),
        versions_(versions),
        budget_(budget) {}
  RouterKeeper(const RouterKeeper&) = delete;
  RouterKeeper& operator=(const RouterKeeper&) = delete;

  // From now on lookups may start the thread.  REQUIRES: there are none yet
  void Allow() noexcept;
  // Makes the thread end soon.  REQUIRES: there are no lookups any more
  void Stop() noexcept TAMIS_REQUIRES(kStoreMutex);
  // Returns when there is no thread.  REQUIRES: Stop() was called
  void Join() TAMIS_EXCLUDES(kStoreMutex);
  // True: it is working, or about to.
  bool is_busy() const noexcept TAMIS_REQUIRES(kStoreMutex) {
    return is_working_ || HasWork();
  }

  // There are lookups: some of many call this.
  void NoteLookups(const Version& version) noexcept
      TAMIS_EXCLUDES(kStoreMutex) {
    if (!is_wanted_.load(std::memory_order_relaxed)) Want(version);
  }
  // Drops the router if the limit of the memory for filters, which has changed,
  // does not allow it any more.  REQUIRES: this thread has no guard of the
  // readers
  void Fit() noexcept TAMIS_EXCLUDES(kStoreMutex, mutex_);

  // For statistics.
  struct Held {
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> entries{0};  // of the one in use
  };
  const Held& held() const noexcept { return held_; }

 private:
  // A router, and the tables whose keys are all in it.
  struct Routed {
    FilterLease lease;  // first, so that it is returned when the memory is free
    std::unique_ptr<KeyRouter> router;
    std::map<std::uint64_t, Routes::Label> labels;  // by the table's number
    unsigned next_label = 0;                        // never used so far
  };
  enum class Action { kNothing, kDrop, kBegin, kAdd, kReplace };
  struct Step {
    Action action = Action::kNothing;
    TableFileRef table = nullptr;  // to add
    Routes::Label label = 0;
    std::uint64_t entries = 0;  // to begin with
    unsigned tables = 0;
  };

  void Run() TAMIS_EXCLUDES(kStoreMutex);
  bool HasWork() const noexcept TAMIS_REQUIRES(kStoreMutex);
  void Want(const Version& version) noexcept TAMIS_EXCLUDES(kStoreMutex);
  Status Work() TAMIS_EXCLUDES(kStoreMutex, mutex_);
  Step NextStep() TAMIS_EXCLUDES(kStoreMutex, mutex_);
  Step StepFor(const Version& version) TAMIS_REQUIRES(mutex_);
  std::optional<Routes::Label> FreeLabel(const Level& level, Routed* routed)
      TAMIS_REQUIRES(mutex_);
  bool MayHold(std::uint64_t bytes) const noexcept;
  bool Begin(const Step& step) TAMIS_EXCLUDES(kStoreMutex, mutex_);
  void AddTable(const Step& step) TAMIS_EXCLUDES(kStoreMutex, mutex_);
  bool AddKeys(std::span<const std::uint64_t> hashes, const Step& step)
      TAMIS_EXCLUDES(mutex_);
  void FinishTable(const Step& step, const Status& read)
      TAMIS_EXCLUDES(kStoreMutex, mutex_);
  void Replace() TAMIS_EXCLUDES(kStoreMutex, mutex_);
  void Drop() noexcept TAMIS_REQUIRES(mutex_) TAMIS_EXCLUDES(kStoreMutex);
  void Publish() TAMIS_REQUIRES(mutex_) TAMIS_EXCLUDES(kStoreMutex);
  Routed* target() noexcept TAMIS_REQUIRES(mutex_) {
    return next_ != nullptr ? next_.get() : current_.get();
  }
  void NoteHeld() noexcept TAMIS_REQUIRES(mutex_);
  bool is_stopping() const noexcept {
    return is_stopped_.load(std::memory_order_relaxed);
  }

  StoreContext& context_;
  ViewPublisher& views_;
  BackgroundState& background_;
  VersionSet& versions_;
  FilterBudget& budget_;
  Held held_;
  bool is_allowed_ = false;
  std::thread thread_;
  // There is a thread.
  std::atomic<bool> is_wanted_{false};
  std::atomic<bool> is_stopped_{false};
  bool is_working_ TAMIS_GUARDED_BY(kStoreMutex) = false;
  bool must_work_ TAMIS_GUARDED_BY(kStoreMutex) = false;
  // The version that was looked at last.
  std::weak_ptr<const Version> seen_ TAMIS_GUARDED_BY(kStoreMutex);

  // Taken before that of VersionSet.  Held for moments, and while a router is
  // published or dropped.
  Mutex mutex_;
  std::unique_ptr<Routed> current_ TAMIS_GUARDED_BY(mutex_);  // in use
  std::unique_ptr<Routed> next_ TAMIS_GUARDED_BY(mutex_);     // being filled
  // Tables that could not be read.
  std::set<std::uint64_t> unreadable_ TAMIS_GUARDED_BY(mutex_);
  // Level 0 had so many tables when a router was found to be of no use; 0: none
  // was.
  std::size_t useless_at_ TAMIS_GUARDED_BY(mutex_) = 0;
};

}  // namespace tamis
