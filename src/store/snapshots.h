// SPDX-License-Identifier: Apache-2.0
// store/snapshots.h -- the snapshots of a store that still exist.

#pragma once

#include <atomic>
#include <set>
#include <vector>

#include "base/mutex.h"
#include "base/owner_process.h"
#include "table/internal_key.h"
#include "tamis/store.h"

namespace tamis {

// Thread-safe.
class SnapshotList {
 public:
  // Adds a snapshot of the newest sequence that reads may see.
  Sequence Add(const std::atomic<Sequence>& visible) {
    const MutexLock lock(mutex_);
    const Sequence now = visible.load(std::memory_order_acquire);
    held_.insert(now);
    return now;
  }
  void Remove(Sequence sequence) {
    // A forked child compacts nothing, and may find the mutex held forever.
    if (!owner_.IsHere()) return;
    const MutexLock lock(mutex_);
    held_.erase(held_.find(sequence));
  }
  // Returns them in ascending order.  Later snapshots see everything that
  // exists by now.
  std::vector<Sequence> All() const {
    const MutexLock lock(mutex_);
    return {held_.begin(), held_.end()};
  }

 private:
  OwnerProcess owner_;
  mutable Mutex mutex_;
  std::multiset<Sequence> held_ TAMIS_GUARDED_BY(mutex_);
};

class StoreSnapshot final : public Snapshot {
 public:
  // Makes a snapshot at the newest write that reads may see.  REQUIRES: `list`
  // outlives it
  StoreSnapshot(SnapshotList& list, const std::atomic<Sequence>& visible)
      : list_(list), sequence_(list.Add(visible)) {}
  ~StoreSnapshot() override { list_.Remove(sequence_); }
  StoreSnapshot(const StoreSnapshot&) = delete;
  StoreSnapshot& operator=(const StoreSnapshot&) = delete;

  Sequence sequence() const noexcept { return sequence_; }

 private:
  SnapshotList& list_;
  Sequence sequence_;
};

}  // namespace tamis
