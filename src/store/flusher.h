// SPDX-License-Identifier: Apache-2.0
// store/flusher.h -- the thread that turns immutable memtables into tables.

#pragma once

#include <thread>

#include "store/background_state.h"
#include "store/filter_budget.h"
#include "store/store_context.h"
#include "store/store_writer.h"
#include "store/version_set.h"
#include "store/view_publisher.h"

namespace tamis {

class Flusher {
 public:
  // REQUIRES: all outlive this
  Flusher(StoreContext& context, ViewPublisher& views,
          BackgroundState& background, VersionSet& versions,
          StoreWriter& writer, FilterBudget& budget);
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

  // ---- flush.cc
  // Throws std::system_error: no thread can be started.
  void Start();
  bool has_started() const noexcept { return thread_.joinable(); }
  // Returns when the thread has ended.  REQUIRES: it has started, and the store
  // is being closed
  void Join() TAMIS_EXCLUDES(kStoreMutex) { thread_.join(); }

  // True: it is writing a table now.
  bool is_busy() const noexcept TAMIS_REQUIRES(kStoreMutex) { return is_busy_; }

 private:
  // ---- flush.cc
  void Run() TAMIS_EXCLUDES(kStoreMutex);
  Status FlushOldest() TAMIS_EXCLUDES(kStoreMutex);

  StoreContext& context_;
  ViewPublisher& views_;
  BackgroundState& background_;
  VersionSet& versions_;
  StoreWriter& writer_;
  FilterBudget& budget_;
  bool is_busy_ TAMIS_GUARDED_BY(kStoreMutex) = false;
  std::thread thread_;
};

}  // namespace tamis
