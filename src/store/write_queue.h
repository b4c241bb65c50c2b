// SPDX-License-Identifier: Apache-2.0
// store/write_queue.h -- where writes wait for their turn.  Whoever comes to
// the front writes for those behind it, too.

#pragma once

#include <cstdint>
#include <deque>

#include "store/store_mutex.h"
#include "tamis/status.h"
#include "tamis/write_batch.h"

namespace tamis {

// One write that waits.  It lies on the stack of its thread.
struct QueuedWrite {
  WriteBatch* batch = nullptr;
  bool sync = false;      // it is to be durable
  bool is_alone = false;  // not to be taken along with others

  // The rest is the queue's.  Done: by somebody else, and `status` says how.
  bool is_done TAMIS_GUARDED_BY(kStoreMutex) = false;
  Status status TAMIS_GUARDED_BY(kStoreMutex);
  CondVar turn;
};

// Writes of the front of the queue that go together.
struct WriteGroup {
  WriteBatch* batch = nullptr;  // of all of them
  QueuedWrite* last = nullptr;  // null: the front one alone
};

class WriteQueue {
 public:
  // REQUIRES: the mutex outlives this
  explicit WriteQueue(StoreMutex& mutex) : mutex_(mutex) {}
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  // Queues the write and waits.  True: it is this thread's turn, until
  // EndTurn().  False: somebody else has written it.  Throws std::bad_alloc;
  // then it is not queued.
  bool WaitForTurn(QueuedWrite* write) TAMIS_TRY_ACQUIRE(true, kWriteTurn)
      TAMIS_REQUIRES(kStoreMutex);
  // For lambdas, and before and after there are any writers.  Nothing is
  // checked when the program runs.
  void AssertTurn() const noexcept TAMIS_ASSERT_HELD(kWriteTurn) {}

  // The writes that go together with the front one, with no more changes than
  // that in all.  Few large ones do, so that a small one need not wait long.
  // The group's batch stays valid until EndTurn().
  WriteGroup FormGroup(std::uint64_t max_changes)
      TAMIS_REQUIRES(kStoreMutex, kWriteTurn);

  // Tells the writers of the group how it went, and lets the next one to the
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
