// SPDX-License-Identifier: Apache-2.0
// store/background_state.h -- how writers and the background threads notify
// each other of work, of changes, of failures, and that the store is being
// closed.

#pragma once

#include <chrono>

#include "store/info_log.h"
#include "store/store_mutex.h"
#include "store/urgency.h"
#include "tamis/status.h"

namespace tamis {

class BackgroundState {
 public:
  // REQUIRES: both outlive this
  BackgroundState(StoreMutex& mutex, InfoLog& log) : mutex_(mutex), log_(log) {}
  BackgroundState(const BackgroundState&) = delete;
  BackgroundState& operator=(const BackgroundState&) = delete;

  // ---- waiting; either may wake up spuriously, so callers wait in loops

  // Called by the threads that flush and compact.
  void WaitForWork() TAMIS_REQUIRES(kStoreMutex) { mutex_.Wait(work_); }
  // Called by threads that wait for them.
  void WaitForChange() TAMIS_REQUIRES(kStoreMutex) { mutex_.Wait(change_); }
  // Waits before work that has failed `failures` times in a row is retried.
  // False: the store is being closed.
  bool WaitToRetry(unsigned failures) TAMIS_REQUIRES(kStoreMutex);

  // Called by the thread that prepares what writers will need.
  void WaitForRequest() TAMIS_REQUIRES(kStoreMutex) { mutex_.Wait(requests_); }
  // The same; false: so much time has passed without one.
  bool WaitForRequest(std::chrono::milliseconds most)
      TAMIS_REQUIRES(kStoreMutex) {
    return mutex_.WaitUntil(requests_, std::chrono::steady_clock::now() + most);
  }
  void NotifyPreparer() noexcept TAMIS_REQUIRES(kStoreMutex) {
    requests_.NotifyAll();
  }

  void NotifyWorkers() noexcept TAMIS_REQUIRES(kStoreMutex) {
    work_.NotifyAll();
  }
  void NotifyWaiters() noexcept TAMIS_REQUIRES(kStoreMutex) {
    change_.NotifyAll();
  }

  // ---- urgency

  Urgency& flushing() noexcept { return flushing_; }
  // Of all compactions.
  Urgency& compacting() noexcept { return compacting_; }

  // ---- errors

  // Why the last work failed; ok: it did not.
  const Status& error() const noexcept TAMIS_REQUIRES(kStoreMutex) {
    return error_;
  }
  // `what` is the work that failed: "flushing".  It is written to the info log.
  void NoteError(Status error, const char* what) noexcept
      TAMIS_REQUIRES(kStoreMutex);
  void ClearError() noexcept TAMIS_REQUIRES(kStoreMutex) {
    error_ = Status::Ok();
  }
  // True: the last flush failed, and error() says why.  Threads that wait for a
  // memtable to be flushed then give up.
  bool is_flush_failing() const noexcept TAMIS_REQUIRES(kStoreMutex) {
    return flush_failed_ && !error_.ok();
  }
  void set_flush_failed(bool failed) noexcept TAMIS_REQUIRES(kStoreMutex) {
    flush_failed_ = failed;
  }

  // ---- closing

  bool is_closing() const noexcept TAMIS_REQUIRES(kStoreMutex) {
    return is_closing_;
  }
  // Wakes all waiting threads, and makes all work urgent.
  void Close() noexcept TAMIS_REQUIRES(kStoreMutex);

 private:
  StoreMutex& mutex_;
  InfoLog& log_;
  CondVar work_;
  CondVar change_;
  CondVar requests_;
  Urgency flushing_;
  Urgency compacting_;
  Status error_ TAMIS_GUARDED_BY(kStoreMutex);
  bool flush_failed_ TAMIS_GUARDED_BY(kStoreMutex) = false;
  bool is_closing_ TAMIS_GUARDED_BY(kStoreMutex) = false;
};

}  // namespace tamis
