// SPDX-License-Identifier: Apache-2.0
// store/preparer.h -- the thread that takes space in the log and memory for the
// memtable from the system before writers need them: a writer that had to wait
// for the system would keep all others waiting.  When there are no writes, it
// gives the system back what memtables have left.

#pragma once

#include <memory>
#include <thread>

#include "store/background_state.h"
#include "store/memtable.h"
#include "store/store_context.h"
#include "store/write_log.h"

namespace tamis {

class Preparer {
 public:
  // REQUIRES: both outlive this
  Preparer(StoreContext& context, BackgroundState& background)
      : context_(context), background_(background) {}
  Preparer(const Preparer&) = delete;
  Preparer& operator=(const Preparer&) = delete;

  // Throws std::system_error: no thread can be started.
  void Start();
  bool has_started() const noexcept { return thread_.joinable(); }
  // Returns when the thread has ended.  REQUIRES: it has started, and the store
  // is being closed
  void Join() TAMIS_EXCLUDES(kStoreMutex) { thread_.join(); }

  // Lets the thread prepare these, soon.  Does nothing if it has not begun with
  // what was requested before.
  void Request(std::shared_ptr<WriteLog> log,
               std::shared_ptr<Memtable> memtable) noexcept
      TAMIS_REQUIRES(kStoreMutex);

 private:
  void Run() TAMIS_EXCLUDES(kStoreMutex);

  StoreContext& context_;
  BackgroundState& background_;
  std::shared_ptr<WriteLog> log_ TAMIS_GUARDED_BY(kStoreMutex);
  std::shared_ptr<Memtable> memtable_ TAMIS_GUARDED_BY(kStoreMutex);
  std::thread thread_;
};

}  // namespace tamis
