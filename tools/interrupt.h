// SPDX-License-Identifier: Apache-2.0
// interrupt.h -- what happens on Ctrl-C and when somebody asks us to end.

#pragma once

#include <csignal>

namespace tamis::tools {

// From now on SIGINT, SIGTERM and SIGHUP remove the temporary file of a write
// in progress before they end the process.  A signal that our parent switched
// off stays off.  For main() only: a test has signals of its own.
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

  // The signal that came, 0 if none did.
  int signal() const;
};

// Waits until `fd` can be read without waiting.  False: the input is to end,
// because a signal came, be it before the call.  Without an
// InterruptsEndInput it returns true at once.
bool WaitForInput(int fd);

}  // namespace tamis::tools
