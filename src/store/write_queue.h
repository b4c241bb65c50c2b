// SPDX-License-Identifier: Apache-2.0
// store/write_queue.h -- where writes wait for their turn.  The writer at the
// front also writes for those behind it.

#pragma once

#include <cstdint>
#include <deque>

#include "store/store_mutex.h"
#include "tamis/status.h"
#include "tamis/write_batch.h"

namespace tamis {

// One waiting write, on the stack of its thread.
struct QueuedWrite {
  WriteBatch* batch = nullptr;
  bool sync = false;      // must be durable
  bool is_alone = false;  // not to be grouped with others

  // The rest belongs to the queue.  is_done: another thread wrote it, with
  // `status`.
  bool is_done TAMIS_GUARDED_BY(kStoreMutex) = false;
  Status status TAMIS_GUARDED_BY(kStoreMutex);
  CondVar turn;
};

// Writes at the front of the queue that are written together.
struct WriteGroup {
  WriteBatch* batch = nullptr;  // of all of them
  QueuedWrite* last = nullptr;  // null: only the front one
};

class WriteQueue {
 public:
  // REQUIRES: the mutex outlives this
  explicit WriteQueue(StoreMutex& mutex) : mutex_(mutex) {}
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  // Queues the write and waits.  True: it is this thread's turn, until
  // EndTurn().  False: another thread has written it.  Throws std::bad_alloc;
  // then it is not queued.
  bool WaitForTurn(QueuedWrite* write) TAMIS_TRY_ACQUIRE(true, kWriteTurn)
      TAMIS_REQUIRES(kStoreMutex);
  // For lambdas, and while there are no writers yet or no more.  Checks nothing
  // at run time.
  void AssertTurn() const noexcept TAMIS_ASSERT_HELD(kWriteTurn) {}

  // Returns the writes that are grouped with the front one, with at most
  // `max_changes` changes in total.  Large writes are seldom grouped, so that a
  // small one need not wait long.  The group's batch stays valid until
  // EndTurn().
  WriteGroup FormGroup(std::uint64_t max_changes)
      TAMIS_REQUIRES(kStoreMutex, kWriteTurn);

  // Passes the result to the writers of the group, and lets the next one to the
  // front.
  void EndTurn(const WriteGroup& group, const Status& status) noexcept
      TAMIS_REQUIRES(kStoreMutex) TAMIS_RELEASE(kWriteTurn) TAMIS_NOT_ANALYSED {
    Finish(group, status);
  }

 private:
  void Finish(const WriteGroup& group, const Status& status) noexcept
      TAMIS_REQUIRES(kStoreMutex, kWriteTurn);

  StoreMutex& mutex_;
  std::deque<QueuedWrite*> queue_ TAMIS_GUARDED_BY(kStoreMutex);
  WriteBatch group_batch_ TAMIS_GUARDED_BY(kWriteTurn);  // of several writers
};

}  // namespace tamis
