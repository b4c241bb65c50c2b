// SPDX-License-Identifier: Apache-2.0
// store/view_publisher.h -- what readers see, and how it changes: a new view is
// published, and the old one is released when no reader can use it any more.

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
  // Releases the older views first.  REQUIRES: there are no more readers
  ~ViewPublisher();
  ViewPublisher(const ViewPublisher&) = delete;
  ViewPublisher& operator=(const ViewPublisher&) = delete;

  // ---- for readers: no lock, no shared count

  // A read first takes a guard of these.
  ReaderSlots& slots() const noexcept { return slots_; }
  // What reads see now.  REQUIRES: something was published; this thread has a
  // guard, and uses the view no longer than that
  const ReadView& visible() const noexcept {
    return *view_.load(std::memory_order_seq_cst);
  }

  // ---- for writers

  // Null: nothing was published yet.
  const std::shared_ptr<const ReadView>& current() const
      TAMIS_REQUIRES(kStoreMutex) {
    return current_;
  }
  std::shared_ptr<const ReadView> Current() const TAMIS_EXCLUDES(kStoreMutex);

  // Makes `next` visible to readers.  The previous view is kept until
  // ReleaseRetired().  Allocates no memory.
  void Publish(std::shared_ptr<const ReadView> next) noexcept
      TAMIS_REQUIRES(kStoreMutex);
  // Releases the views that were replaced, once no reader uses them, and with
  // them memtables, tables and files.  REQUIRES: this thread has no guard
  void ReleaseRetired() noexcept TAMIS_EXCLUDES(kStoreMutex);

 private:
  mutable ReaderSlots slots_;
  std::atomic<const ReadView*> view_{nullptr};  // what current_ holds
  StoreMutex& mutex_;
  std::shared_ptr<const ReadView> current_ TAMIS_GUARDED_BY(kStoreMutex);
  // The newest replaced view; each owns the one before.
  std::shared_ptr<const ReadView> retired_ TAMIS_GUARDED_BY(kStoreMutex);
};

}  // namespace tamis
