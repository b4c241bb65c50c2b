// SPDX-License-Identifier: Apache-2.0
#include "base/mutex.h"

#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

class Counter {
 public:
  void Add() {
    const MutexLock lock(mutex_);
    ++count_;
    changed_.NotifyAll();
  }
  void WaitFor(int count) {
    const MutexLock lock(mutex_);
    while (count_ < count) changed_.Wait(mutex_);
  }
  // Adds one while it does not hold the mutex, as others might.
  int AddBetween() {
    MutexLock lock(mutex_);
    const int before = count_;
    lock.Unlock();
    Add();
    lock.Lock();
    return count_ - before;
  }
  bool WaitUntil(std::chrono::steady_clock::time_point end) {
    const MutexLock lock(mutex_);
    return changed_.WaitUntil(mutex_, end);
  }
  int count() {
    const MutexLock lock(mutex_);
    return count_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int count_ TAMIS_GUARDED_BY(mutex_) = 0;
};

TEST(MutexThreads, LetsOneThreadInAtATime) {
  constexpr int kThreads = 4;
  constexpr int kTimes = 10'000;
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kTimes; ++j) counter.Add();
    });
  }
  counter.WaitFor(kThreads * kTimes);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter.count(), kThreads * kTimes);
}

TEST(MutexThreads, ALockThatIsLetGoOfCanBeTakenAndIsHeldAgain) {
  Counter counter;
  EXPECT_EQ(counter.AddBetween(), 1);
  counter.Add();  // would wait for ever if the lock outlived its scope
  EXPECT_EQ(counter.count(), 2);
}

TEST(MutexThreads, WaitingEndsAtTheTimeThatWasGiven) {
  Counter counter;
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
  while (counter.WaitUntil(end)) {  // it may wake without a reason
  }
  EXPECT_GE(std::chrono::steady_clock::now(), end);
}

}  // namespace
}  // namespace tamis
