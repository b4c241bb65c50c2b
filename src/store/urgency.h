// SPDX-License-Identifier: Apache-2.0
// store/urgency.h -- whether background work of one sort is urgent: writers or
// other callers wait for it, or soon will.

#pragma once

#include <atomic>

#include "store/store_mutex.h"

namespace tamis {

class Urgency {
 public:
  // From this backlog on the work is urgent.  Below it writers are slowed down
  // so little (to 150 MB per second) that they would not notice a processor
  // which others take from the work.
  static constexpr double kUrgentBacklog = 0.25;

  // Any thread may read it at any time.
  const std::atomic<bool>& is_urgent() const noexcept { return is_urgent_; }

  // `backlog`: 0 or less if the work keeps up; at 1 writers must wait.
  void NoteBacklog(double backlog) noexcept TAMIS_REQUIRES(kStoreMutex) {
    is_behind_ = backlog >= kUrgentBacklog;
    Judge();
  }
  // The work is urgent in between; calls may nest and overlap.
  void BeginWaiting() noexcept TAMIS_REQUIRES(kStoreMutex) {
    ++waiting_;
    Judge();
  }
  void EndWaiting() noexcept TAMIS_REQUIRES(kStoreMutex) {
    --waiting_;
    Judge();
  }

 private:
  void Judge() noexcept TAMIS_REQUIRES(kStoreMutex) {
    const bool is_urgent = is_behind_ || waiting_ > 0;
    // Each write notes the backlog, and threads at work read the result.
    if (is_urgent_.load(std::memory_order_relaxed) != is_urgent) {
      is_urgent_.store(is_urgent, std::memory_order_relaxed);
    }
  }

  bool is_behind_ TAMIS_GUARDED_BY(kStoreMutex) = false;
  unsigned waiting_ TAMIS_GUARDED_BY(kStoreMutex) = 0;
  std::atomic<bool> is_urgent_{false};
};

}  // namespace tamis
