// SPDX-License-Identifier: Apache-2.0
// base/mutex.h -- the standard library's mutex and condition variable, with the
// annotations for clang's thread safety analysis.
//
//   Mutex mutex_;
//   int count_ TAMIS_GUARDED_BY(mutex_) = 0;
//   ...
//   const MutexLock lock(mutex_);
//   ++count_;
//
// A lambda is analysed as a separate function that holds no locks.  One that
// runs under a lock states that with AssertHeld(); and waiting for a condition
// is a loop, without a predicate.

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/thread_annotations.h"

namespace tamis {

class TAMIS_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() TAMIS_ACQUIRE() { mutex_.lock(); }
  void Unlock() TAMIS_RELEASE() { mutex_.unlock(); }
  // False: somebody else holds it.
  bool TryLock() TAMIS_TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  // Checks nothing at run time.
  void AssertHeld() const noexcept TAMIS_ASSERT_HELD() {}

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds a mutex during its lifetime, except between Unlock() and Lock().
// REQUIRES: the mutex outlives it
class TAMIS_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) TAMIS_ACQUIRE(mutex) : mutex_(mutex) {
    mutex_.Lock();
  }
  ~MutexLock() TAMIS_RELEASE() {
    if (is_held_) mutex_.Unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Unlock() TAMIS_RELEASE() {
    mutex_.Unlock();
    is_held_ = false;
  }
  void Lock() TAMIS_ACQUIRE() {
    mutex_.Lock();
    is_held_ = true;
  }

 private:
  Mutex& mutex_;
  bool is_held_ = true;
};

// A condition variable.  All threads that wait at the same time use the same
// mutex.
class CondVar {
 public:
  // Releases the mutex, waits for a notification, and takes the mutex again.
  // May wake up without a notification.
  void Wait(Mutex& mutex) TAMIS_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    static_cast<void>(lock.release());
  }
  // The same, but waits no longer than until `end`.  False: `end` has passed.
  bool WaitUntil(Mutex& mutex, std::chrono::steady_clock::time_point end)
      TAMIS_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const std::cv_status status = condition_.wait_until(lock, end);
    static_cast<void>(lock.release());
    return status == std::cv_status::no_timeout;
  }

  void NotifyOne() noexcept { condition_.notify_one(); }
  void NotifyAll() noexcept { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace tamis
