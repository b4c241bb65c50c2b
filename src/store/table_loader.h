// SPDX-License-Identifier: Apache-2.0
// store/table_loader.h -- the thread that loads tables which lookups have begun
// to read: it parses their indexes and reads their filters, while the lookups
// do without.

#pragma once

#include <deque>
#include <thread>

#include "store/background_state.h"
#include "store/filter_budget.h"
#include "store/store_context.h"
#include "store/version.h"

namespace tamis {

class TableLoader {
 public:
  // REQUIRES: all outlive this
  TableLoader(StoreContext& context, BackgroundState& background,
              FilterBudget& budget)
      : context_(context), background_(background), budget_(budget) {}
  TableLoader(const TableLoader&) = delete;
  TableLoader& operator=(const TableLoader&) = delete;

  // Throws std::system_error: no thread can be started.
  void Start();
  bool has_started() const noexcept { return thread_.joinable(); }
  // Makes the thread end, after the table that it is loading.
  void Stop() noexcept TAMIS_REQUIRES(kStoreMutex);
  // Returns when the thread has ended.  REQUIRES: Stop() was called
  void Join() TAMIS_EXCLUDES(kStoreMutex) { thread_.join(); }

  // True: tables are being loaded, or wait for it.
  bool is_busy() const noexcept TAMIS_REQUIRES(kStoreMutex) {
    return !waiting_.empty() || is_loading_ || must_rebalance_;
  }

  // False: lookups load the table: this was tried, or cannot be done here, in
  // a child that was forked.
  bool MayRequest(const TableFile& file) const noexcept {
    return !file.has_ended_loading() && context_.tables.owner.IsHere();
  }
  // Has the table loaded soon, if it was not requested before.
  // REQUIRES: has_started(), and MayRequest(*file)
  void Request(const TableFileRef& file) noexcept TAMIS_EXCLUDES(kStoreMutex);
  // Has it decided anew which filters are held: lookups often ask for some that
  // are not.  REQUIRES: has_started()
  void RequestRebalance() noexcept TAMIS_EXCLUDES(kStoreMutex);

 private:
  void Run() TAMIS_EXCLUDES(kStoreMutex);

  StoreContext& context_;
  BackgroundState& background_;
  FilterBudget& budget_;
  CondVar work_;
  std::deque<TableFileRef> waiting_ TAMIS_GUARDED_BY(kStoreMutex);
  bool is_loading_ TAMIS_GUARDED_BY(kStoreMutex) = false;
  bool must_rebalance_ TAMIS_GUARDED_BY(kStoreMutex) = false;
  bool is_stopped_ TAMIS_GUARDED_BY(kStoreMutex) = false;
  std::thread thread_;
};

}  // namespace tamis
