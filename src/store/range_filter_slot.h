// SPDX-License-Identifier: Apache-2.0
// store/range_filter_slot.h -- where a table of a store keeps its range filter,
// from the moment it is loaded.  Iterators use it under a guard of the store's
// readers, so it can be dropped while they go on.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "table/held_range_filter.h"

namespace tamis {

// Safe to share among threads.
class RangeFilterSlot {
 public:
  // Null: there is none in memory.  It lasts as long as a guard of the store's
  // readers that was there before, or as the store's mutex is held.
  const HeldRangeFilter* held() const noexcept {
    return held_.load(std::memory_order_seq_cst);
  }
  // False: nobody has looked yet whether the table has one.
  bool is_loaded() const noexcept {
    return is_loaded_.load(std::memory_order_acquire);
  }

  // Keeps what was read, null if the table has none.  Returns false if another
  // thread was first; nothing has changed then.
  bool Keep(std::shared_ptr<const HeldRangeFilter> filter)
      TAMIS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (is_loaded()) return false;
    Set(std::move(filter));
    is_loaded_.store(true, std::memory_order_release);
    return true;
  }

  // ---- a limit of the memory for filters

  // Returns the filter, which iterators no longer see; null: there was none.
  // The caller frees it when no reader can use it any more.
  std::shared_ptr<const HeldRangeFilter> Drop() TAMIS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (held() == nullptr) return nullptr;
    std::shared_ptr<const HeldRangeFilter> dropped =
        HeldRangeFilter::NotHeld(owned_->stored_bytes());
    held_.store(nullptr, std::memory_order_seq_cst);
    owned_.swap(dropped);
    return dropped;
  }
  // As Drop(), for good: it is not looked for again either.  REQUIRES: nobody
  // calls Replace() from now on
  std::shared_ptr<const HeldRangeFilter> Retire() TAMIS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    held_.store(nullptr, std::memory_order_seq_cst);
    is_loaded_.store(true, std::memory_order_release);
    return std::exchange(owned_, nullptr);
  }
  // Returns the memory that it would take; 0: it is there, or there is none.
  std::uint64_t missing_bytes() const TAMIS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return held() == nullptr && owned_ != nullptr ? owned_->stored_bytes() : 0;
  }
  // Keeps what was read again, if none is there.  Returns true if one is.
  bool Replace(std::shared_ptr<const HeldRangeFilter> filter)
      TAMIS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (held() == nullptr) Set(std::move(filter));
    return held() != nullptr;
  }

 private:
  void Set(std::shared_ptr<const HeldRangeFilter> filter) noexcept
      TAMIS_REQUIRES(mutex_) {
    owned_ = std::move(filter);
    if (owned_ == nullptr || !owned_->is_held()) return;
    held_.store(owned_.get(), std::memory_order_seq_cst);
  }

  mutable Mutex mutex_;  // held for moments
  // Null: the table has none, or it is not loaded yet.
  std::shared_ptr<const HeldRangeFilter> owned_ TAMIS_GUARDED_BY(mutex_);
  std::atomic<const HeldRangeFilter*> held_{nullptr};
  std::atomic<bool> is_loaded_{false};
};

}  // namespace tamis
