// SPDX-License-Identifier: Apache-2.0
// base/thread_priority.h -- threads whose work can wait for a moment.

#pragma once

#include <chrono>

namespace tamis {

// Raises the niceness of this thread by so much, and with it that of the
// threads that it starts: other threads of the process and of the machine go
// first.  A hint: nothing happens where niceness is not a thread's own.
void RaiseNiceness(int by) noexcept;

// Returns the niceness of this thread.
int NicenessOfThisThread() noexcept;

// Sleeps for so long, and hardly longer: the system would otherwise be free to
// wake this thread some 50 us later.
void SleepPrecisely(std::chrono::nanoseconds time) noexcept;

// Work that is done in short turns: if other threads wait for this processor,
// they go first every now and then, and none waits as long as the system would
// let this one run.
class ShortTurns {
 public:
  // To be called after every small piece of work, which takes longer than a
  // look at a clock.
  void EndPiece() noexcept;

 private:
  std::chrono::steady_clock::time_point since_ =
      std::chrono::steady_clock::now();
};

}  // namespace tamis
