// SPDX-License-Identifier: Apache-2.0
// store/view_publisher.h -- what readers see, and how it changes: a new view is
// published, and the old one is let go of when no reader can have it any more.

#pragma once

#include <atomic>
#include <memory>

#include "store/read_view.h"
#include "store/reader_slots.h"
#include "store/store_mutex.h"

namespace tamis {

class ViewPublisher {
 public:
  // REQUIRES: the mutex outlives this
  explicit ViewPublisher(StoreMutex& mutex) : mutex_(mutex) {}
  // Lets go of the older views first.  REQUIRES: nobody reads any more
  ~ViewPublisher();
  ViewPublisher(const ViewPublisher&) = delete;
  ViewPublisher& operator=(const ViewPublisher&) = delete;

  // ---- for readers: no lock, no shared count

  // A read takes a guard of these first.
  ReaderSlots& slots() const noexcept { return slots_; }
  // What reads see now.  REQUIRES: something was published; this thread has a
  // guard, and uses the view no longer than that
  const ReadView& visible() const noexcept {
    return *view_.load(std::memory_order_seq_cst);
  }

  // ---- for whoever changes it

  // Null: nothing was published yet.
  const std::shared_ptr<const ReadView>& current() const
      TAMIS_REQUIRES(kStoreMutex) {
    return current_;
  }
  std::shared_ptr<const ReadView> Current() const TAMIS_EXCLUDES(kStoreMutex);

  // Readers see `next` from now on.  The view before it is kept until
  // ReleaseRetired().  Takes no memory.
  void Publish(std::shared_ptr<const ReadView> next) noexcept
      TAMIS_REQUIRES(kStoreMutex);
  // Lets go of the views that were replaced, once no reader has them, and with
  // them of memtables, tables and files.  REQUIRES: this thread has no guard
  void ReleaseRetired() noexcept TAMIS_EXCLUDES(kStoreMutex);

 private:
  mutable ReaderSlots slots_;
  std::atomic<const ReadView*> view_{nullptr};  // what current_ holds
  StoreMutex& mutex_;
  std::shared_ptr<const ReadView> current_ TAMIS_GUARDED_BY(kStoreMutex);
  // The newest of those that were replaced; each holds the one before.
  std::shared_ptr<const ReadView> retired_ TAMIS_GUARDED_BY(kStoreMutex);
};

}  // namespace tamis
