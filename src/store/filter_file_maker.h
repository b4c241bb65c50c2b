// SPDX-License-Identifier: Apache-2.0
// store/filter_file_maker.h -- the thread that gives tables which lookups read
// a filter in a file beside them, if theirs is missing, damaged or one of
// LevelDB's per 2 KiB.  Slowly, and one table at a time.

#pragma once

#include <cstdint>
#include <set>
#include <thread>

#include "base/mutex.h"
#include "store/background_state.h"
#include "store/filter_budget.h"
#include "store/store_context.h"
#include "store/version.h"
#include "store/view_publisher.h"

namespace tamis {

class FilterFileMaker {
 public:
  // REQUIRES: all outlive this
  FilterFileMaker(StoreContext& context, ViewPublisher& views,
                  BackgroundState& background, FilterBudget& budget)
      : context_(context),
        views_(views),
        background_(background),
        budget_(budget) {}
  FilterFileMaker(const FilterFileMaker&) = delete;
  FilterFileMaker& operator=(const FilterFileMaker&) = delete;

  // Throws std::system_error: no thread can be started.
  void Start() TAMIS_EXCLUDES(mutex_);
  bool has_started() const noexcept { return thread_.joinable(); }
  // Makes the thread end soon; a file that is not finished is not made.
  void Stop() noexcept TAMIS_EXCLUDES(mutex_);
  // Returns when the thread has ended.  REQUIRES: Stop() was called
  void Join() { thread_.join(); }

  // A table was loaded, with that filter.  May be called under the mutex of
  // VersionSet.
  void NoteLoaded(const TableFilter& filter) noexcept TAMIS_EXCLUDES(mutex_);

  // True: files are being made, or tables wait for them.
  bool is_busy() const noexcept TAMIS_EXCLUDES(mutex_);

 private:
  // A table whose filter is to be made, and for which level.
  struct Choice {
    TableFileRef table;  // null: there is none
    int level = 0;
  };

  void Run() TAMIS_EXCLUDES(mutex_, kStoreMutex);
  // False: the store is being closed.
  bool WaitForWork() TAMIS_EXCLUDES(mutex_);
  Choice Choose() const;
  Status Make(const Choice& choice);
  bool is_stopped() const noexcept TAMIS_EXCLUDES(mutex_);

  StoreContext& context_;
  ViewPublisher& views_;
  BackgroundState& background_;
  FilterBudget& budget_;
  // Taken last: no other is taken while it is held.
  mutable Mutex mutex_;
  CondVar work_;
  bool must_look_ TAMIS_GUARDED_BY(mutex_) = false;
  bool is_busy_ TAMIS_GUARDED_BY(mutex_) = false;
  bool is_stopped_ TAMIS_GUARDED_BY(mutex_) = false;
  // Tables that had their turn.  Used by the thread alone.
  std::set<std::uint64_t> tried_;
  std::thread thread_;
};

}  // namespace tamis
