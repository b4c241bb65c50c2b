// SPDX-License-Identifier: Apache-2.0
// base/thread_priority.h -- threads whose work can wait for a moment.

#pragma once

namespace tamis {

// Raises the niceness of this thread by so much, and with it that of the
// threads that it starts: other threads of the process and of the machine go
// first.  A hint: nothing happens where niceness is not a thread's own.
void RaiseNiceness(int by) noexcept;

// Returns the niceness of this thread.
int NicenessOfThisThread() noexcept;

}  // namespace tamis
