// SPDX-License-Identifier: Apache-2.0
// Which writes go together, and who hears how they went.

#include "store/write_queue.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

constexpr std::uint64_t kAnyNumber = 1'000'000;

// A queue whose front this thread has, with others behind it.
class Queue {
 public:
  Queue() : queue_(mutex_) {}

  struct Setting {
    std::size_t value_bytes = 10;
    bool sync = false;
    bool is_alone = false;
  };

  // How many writes went together when all of them were queued, the first of
  // `settings` at the front.  Each hears of `status`.
  std::size_t GroupOf(const std::vector<Setting>& settings,
                      std::uint64_t max_changes = kAnyNumber,
                      const Status& status = Status::Ok()) {
    std::deque<QueuedWrite> writes(settings.size());
    std::deque<WriteBatch> batches(settings.size());
    for (std::size_t i = 0; i < settings.size(); ++i) {
      batches[i].Put("key" + std::to_string(i),
                     std::string(settings[i].value_bytes, 'v'));
      writes[i].batch = &batches[i];
      writes[i].sync = settings[i].sync;
      writes[i].is_alone = settings[i].is_alone;
    }
    std::vector<std::thread> others;
    std::size_t together = 0;
    StoreLock lock(mutex_);
    if (!queue_.WaitForTurn(&writes[0])) return 0;
    for (std::size_t i = 1; i < writes.size(); ++i) {
      others.emplace_back([&, i] { Wait(&writes[i], i); });
      // One after the other, so that they queue in this order.
      while (queued_ < i) {
        lock.Unlock();
        std::this_thread::yield();
        lock.Lock();
      }
    }
    const WriteGroup group = queue_.FormGroup(max_changes);
    together = static_cast<std::size_t>(group.batch->count());
    EXPECT_EQ(group.last, &writes[together - 1]);
    // A single write is not copied.
    EXPECT_EQ(group.batch == &batches[0], together == 1);
    queue_.EndTurn(group, status);
    lock.Unlock();
    for (std::thread& other : others) other.join();
    return together;
  }

  // How many others were told that somebody else wrote for them, and what.
  std::size_t done_by_others() const { return done_by_others_; }
  const std::string& heard() const { return heard_; }

 private:
  void Wait(QueuedWrite* write, std::size_t number) {
    const StoreLock lock(mutex_);
    queued_ = number;  // before it can be seen by anybody: the mutex is held
    if (!queue_.WaitForTurn(write)) {
      ++done_by_others_;
      heard_ = write->status.message();
      return;
    }
    queue_.EndTurn({}, Status::Ok());
  }

  StoreMutex mutex_;
  WriteQueue queue_;
  std::atomic<std::size_t> queued_{0};
  std::size_t done_by_others_ = 0;
  std::string heard_;
};

TEST(WriteQueueThreads, WritesThatWaitGoTogether) {
  Queue queue;
  EXPECT_EQ(queue.GroupOf({{}, {}, {}, {}}), 4u);
  EXPECT_EQ(queue.done_by_others(), 3u);
}

TEST(WriteQueueThreads, AWriteThatNeedNotWaitForTheDiskVouchesForNoneThatMust) {
  EXPECT_EQ(Queue().GroupOf({{}, {}, {.sync = true}, {}}), 2u);
  EXPECT_EQ(Queue().GroupOf({{.sync = true}, {}, {.sync = true}}), 3u);
}

TEST(WriteQueueThreads, WhatIsToBeAloneIsNotTakenAlong) {
  EXPECT_EQ(Queue().GroupOf({{}, {}, {.is_alone = true}, {}}), 2u);
}

TEST(WriteQueueThreads, ASmallWriteDoesNotWaitForManyLargeOnes) {
  constexpr std::size_t kLarge = std::size_t{100} << 10;
  EXPECT_EQ(Queue().GroupOf({{}, {kLarge}, {kLarge}}), 2u);
  // A large one may as well take more along.
  EXPECT_EQ(Queue().GroupOf({{2 * kLarge}, {kLarge}, {kLarge}}), 3u);
}

TEST(WriteQueueThreads, AGroupHasNoMoreChangesThanThereAreNumbersFor) {
  EXPECT_EQ(Queue().GroupOf({{}, {}, {}}, 2), 2u);
  EXPECT_EQ(Queue().GroupOf({{}, {}, {}}, 0), 1u);
}

TEST(WriteQueueThreads, AllOfAGroupHearWhyItFailed) {
  Queue queue;
  EXPECT_EQ(queue.GroupOf({{}, {}, {}}, kAnyNumber, Status::IoError("full")),
            3u);
  EXPECT_EQ(queue.done_by_others(), 2u);
  EXPECT_EQ(queue.heard(), "full");
}

TEST(WriteQueueThreads, ManyWritersHaveTheirTurnOneAtATime) {
  StoreMutex mutex;
  WriteQueue queue(mutex);
  constexpr int kThreads = 4;
  constexpr int kTimes = 500;
  std::atomic<int> at_the_front{0};
  int written = 0;  // by whoever has the turn
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kTimes; ++i) {
        WriteBatch batch;
        batch.Put("k", "v");
        QueuedWrite write;
        write.batch = &batch;
        StoreLock lock(mutex);
        if (!queue.WaitForTurn(&write)) continue;
        const WriteGroup group = queue.FormGroup(kAnyNumber);
        lock.Unlock();
        EXPECT_EQ(++at_the_front, 1);
        written += static_cast<int>(group.batch->count());
        --at_the_front;
        lock.Lock();
        queue.EndTurn(group, Status::Ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(written, kThreads * kTimes);
}

}  // namespace
}  // namespace tamis
