// SPDX-License-Identifier: Apache-2.0
// A member that a mutex guards is touched only while that is held.
// REFUSED: writing variable 'count_' requires holding mutex 'mutex_'

#include "base/mutex.h"

class Counter {
 public:
  void Add() {
#ifndef TAMIS_MISUSE
    const tamis::MutexLock lock(mutex_);
#endif
    ++count_;
  }

 private:
  tamis::Mutex mutex_;
  int count_ TAMIS_GUARDED_BY(mutex_) = 0;
};

void Use(Counter& counter) { counter.Add(); }
