// SPDX-License-Identifier: Apache-2.0
// store/store_mutex.h -- the mutex that the parts of a store share, and the
// turn of the writer at the front of the queue.
//
// clang's analysis compares the expressions by which a lock is named, and takes
// the references of two classes to one mutex for two locks.  So all parts name
// the mutex, and the turn, by a token.  The tokens do not distinguish two
// stores: a part must never touch another store's.

#pragma once

#include <chrono>

#include "base/mutex.h"

namespace tamis {

class TAMIS_CAPABILITY("mutex") StoreMutexToken {};
class TAMIS_CAPABILITY("turn") WriteTurnToken {};

// Represents the StoreMutex.  It is held for moments, and never while a file is
// written, except a new log.
inline constexpr StoreMutexToken kStoreMutex;
// Represents being at the front of the WriteQueue.  The thread there has
// exclusive access to the log and the memtable; it needs no mutex to write to
// them.
inline constexpr WriteTurnToken kWriteTurn;

class StoreMutex {
 public:
  StoreMutex() = default;
  StoreMutex(const StoreMutex&) = delete;
  StoreMutex& operator=(const StoreMutex&) = delete;

  void Lock() TAMIS_ACQUIRE(kStoreMutex) TAMIS_NOT_ANALYSED { mutex_.Lock(); }
  void Unlock() TAMIS_RELEASE(kStoreMutex) TAMIS_NOT_ANALYSED {
    mutex_.Unlock();
  }
  bool TryLock() TAMIS_TRY_ACQUIRE(true, kStoreMutex) TAMIS_NOT_ANALYSED {
    return mutex_.TryLock();
  }
  // For lambdas.  Checks nothing at run time.
  void AssertHeld() const noexcept TAMIS_ASSERT_HELD(kStoreMutex) {}

  // See CondVar.
  void Wait(CondVar& condition) TAMIS_REQUIRES(kStoreMutex) TAMIS_NOT_ANALYSED {
    condition.Wait(mutex_);
  }
  bool WaitUntil(CondVar& condition, std::chrono::steady_clock::time_point end)
      TAMIS_REQUIRES(kStoreMutex) TAMIS_NOT_ANALYSED {
    return condition.WaitUntil(mutex_, end);
  }

 private:
  Mutex mutex_;
};

// Holds the mutex, as MutexLock does.
class TAMIS_SCOPED_CAPABILITY StoreLock {
 public:
  explicit StoreLock(StoreMutex& mutex) TAMIS_ACQUIRE(kStoreMutex)
      : mutex_(mutex) {
    mutex_.Lock();
  }
  ~StoreLock() TAMIS_RELEASE() {
    if (is_held_) mutex_.Unlock();
  }
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

  void Unlock() TAMIS_RELEASE() TAMIS_NOT_ANALYSED {
    mutex_.Unlock();
    is_held_ = false;
  }
  void Lock() TAMIS_ACQUIRE() TAMIS_NOT_ANALYSED {
    mutex_.Lock();
    is_held_ = true;
  }

 private:
  StoreMutex& mutex_;
  bool is_held_ = true;
};

}  // namespace tamis
