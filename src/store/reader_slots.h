// SPDX-License-Identifier: Apache-2.0
// store/reader_slots.h -- how lookups keep what they read alive without a lock
// and without a shared reference count: each thread has a slot in which it
// marks that it is reading, and in which it counts.
//
// A thread that replaces what readers may be using waits for those that were
// reading at that moment (WaitForReaders) before it releases the old.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "tamis/store_stats.h"

namespace tamis {

// Written by one thread, read by all.
class OwnCounter {
 public:
  void Add(std::uint64_t amount) noexcept {
    count_.store(count_.load(std::memory_order_relaxed) + amount,
                 std::memory_order_relaxed);
  }
  std::uint64_t value() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> count_{0};
};

// Counters of lookups for one kind of filter: a level's or the memtables'.
struct FilterCounters {
  OwnCounter absent;
  OwnCounter true_positives;
  OwnCounter false_positives;
};

// Whether it pays to ask where tables have their next key: not if most of them
// are then read after all.  Used by the slot's thread alone.
class RecentSkips {
 public:
  // True: ask.  Where it does not pay, that is tried now and then: several
  // times in a row, because an iterator asks when it is made and, only if it
  // pays then, with each seek.
  bool Pays() noexcept {
    constexpr std::uint32_t kFew = 64;
    constexpr std::uint32_t kInARow = 16;
    constexpr std::uint32_t kNowAndThen = 16;
    return asked_ < kFew || 3 * in_vain_ < 2 * asked_ ||
           passed_++ / kInARow % kNowAndThen == 0;
  }
  void AddAsked() noexcept {
    constexpr std::uint32_t kRecent = 1024;
    if (++asked_ < kRecent) return;
    asked_ /= 2;
    in_vain_ /= 2;
  }
  void AddInVain() noexcept { ++in_vain_; }

 private:
  std::uint32_t asked_ = 0;
  std::uint32_t in_vain_ = 0;
  std::uint32_t passed_ = 0;
};

struct ReadCounters {
  // Range filters, asked by iterators.
  struct Ranges {
    OwnCounter asked;
    OwnCounter absent;
    OwnCounter postponed;  // tables left unread up to a place ...
    OwnCounter reached;    // ... to which the scan came
    RecentSkips recent;
  };
  struct Level {
    FilterCounters filters;
    FilterCounters block_filters;
    Ranges ranges;
    OwnCounter tables_read;
    OwnCounter blocks_read;
    OwnCounter unfiltered;
    OwnCounter unfiltered_in_vain;  // of those: the key was not there
    OwnCounter filter_parts_read;   // of filters that are held in parts
    OwnCounter prefix_probes;       // by scans within a prefix
    OwnCounter prefix_absent;       // of those: "certainly absent"
  };
  std::array<Level, kStoreLevels> levels;
  // The router of level 0.
  struct Router {
    OwnCounter lookups;
    OwnCounter absent;  // tables to which it did not lead
    OwnCounter ask_all;

    void Count(std::size_t tables, std::size_t routed, bool are_all) noexcept {
      lookups.Add(1);
      if (are_all) ask_all.Add(1);
      absent.Add(tables - routed);
    }
  };
  FilterCounters memtables;
  Router router;
  OwnCounter lookups;
  OwnCounter found;
  OwnCounter iterators;
  OwnCounter prefix_scans;  // of those: within a prefix
};

class ReaderSlots {
 public:
  // Two cache lines apart, because CPUs fetch lines in pairs.
  struct alignas(128) Slot {
    std::atomic<std::uint64_t> reading_since{0};  // an epoch; 0: not reading
    unsigned depth = 0;  // of nested guards; used by its thread alone
    ReadCounters counters;
  };

  ReaderSlots();

  // While it exists, nothing that is reachable through the store is freed.
  class Guard {
   public:
    // Throws std::bad_alloc, but only at a thread's first guard of a store.
    explicit Guard(ReaderSlots& slots) : slot_(slots.SlotOfThisThread()) {
      if (slot_.depth++ == 0) {
        // Ordered before all that is read under the guard: see WaitForReaders.
        slot_.reading_since.store(slots.epoch_.load(std::memory_order_relaxed),
                                  std::memory_order_seq_cst);
      }
    }
    ~Guard() {
      if (--slot_.depth == 0) {
        slot_.reading_since.store(0, std::memory_order_release);
      }
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

    ReadCounters& counters() const noexcept { return slot_.counters; }

   private:
    Slot& slot_;
  };

  // Returns when all guards that existed at the call are gone.  What was
  // unpublished (by a sequentially consistent store) before the call is then
  // seen by nobody.  REQUIRES: this thread has no guard, and readers load what
  // may be unpublished by sequentially consistent loads
  void WaitForReaders() noexcept;

  // Calls visit(const ReadCounters&) for the counters of every thread.
  template <typename Visit>
  void ForEachCounters(const Visit& visit) const {
    const MutexLock lock(mutex_);
    for (const std::shared_ptr<Slot>& slot : slots_) visit(slot->counters);
  }

 private:
  // The slot that this thread used last, of any store.
  struct Recent {
    std::uint64_t owner = 0;
    Slot* slot = nullptr;
  };

  Slot& SlotOfThisThread() {
    const Recent& recent = RecentOfThisThread();
    return recent.owner == id_ ? *recent.slot : FindSlot();
  }
  static Recent& RecentOfThisThread() noexcept {
    thread_local Recent recent;
    return recent;
  }
  Slot& FindSlot();
  std::shared_ptr<Slot> TakeSlot();

  const std::uint64_t id_;  // never used by another object
  std::atomic<std::uint64_t> epoch_{1};
  mutable Mutex mutex_;
  // Only grows.
  std::vector<std::shared_ptr<Slot>> slots_ TAMIS_GUARDED_BY(mutex_);
};

}  // namespace tamis
