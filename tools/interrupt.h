// SPDX-License-Identifier: Apache-2.0
// interrupt.h -- handling of Ctrl-C and other requests to terminate.

#pragma once

#include <csignal>

namespace tamis::tools {

// Makes SIGINT, SIGTERM and SIGHUP remove the temporary file of a write in
// progress before they end the process.  A signal that our parent ignores stays
// ignored.  For main() only: a test handles signals itself.
void HandleInterrupts();

// While one exists, the first of these signals does not end the process: it
// ends the input, so that a stream command can finish its work.  A second
// one ends it at once.  There may be one at a time.
class InterruptsEndInput {
 public:
  InterruptsEndInput();
  InterruptsEndInput(const InterruptsEndInput&) = delete;
  InterruptsEndInput& operator=(const InterruptsEndInput&) = delete;
  ~InterruptsEndInput();

  // The signal that was received, or 0.
  int signal() const;
};

// Waits until `fd` can be read without blocking.  False: the input ends,
// because a signal was received, possibly before the call.  Without an
// InterruptsEndInput it returns true at once.
bool WaitForInput(int fd);

}  // namespace tamis::tools
