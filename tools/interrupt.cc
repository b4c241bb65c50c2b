// SPDX-License-Identifier: Apache-2.0
#include "interrupt.h"

#include <poll.h>
#include <unistd.h>
#include <array>
#include <cerrno>

#include "base/atomic_file.h"

namespace tamis::tools {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// Shared with the handler, so of the only type that is safe there.
volatile std::sig_atomic_t ends_input = 0;
volatile std::sig_atomic_t came = 0;

void OnSignal(int number) {
  if (ends_input != 0 && came == 0) {
    came = number;
    return;
  }
  const int saved = errno;
  RemoveUnfinishedFile();
  // Dying of the signal itself tells our parent what happened.  It is blocked
  // until we return.
  std::signal(number, SIG_DFL);
  ::raise(number);
  errno = saved;
}

}  // namespace

void HandleInterrupts() {
  for (const int number : kSignals) {
    struct sigaction action = {};
    if (::sigaction(number, nullptr, &action) != 0) continue;
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = OnSignal;  // without SA_RESTART: waits must end
    ::sigaction(number, &action, nullptr);
  }
}

InterruptsEndInput::InterruptsEndInput() {
  came = 0;
  ends_input = 1;
}

InterruptsEndInput::~InterruptsEndInput() { ends_input = 0; }

int InterruptsEndInput::signal() const { return came; }

bool WaitForInput(int fd) {
  if (ends_input == 0) return true;
  sigset_t ours;
  sigemptyset(&ours);
  for (const int number : kSignals) sigaddset(&ours, number);
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &ours, &before);
  // A signal cannot arrive between this check and the wait: only ppoll()
  // unblocks it.
  pollfd request = {fd, POLLIN, 0};
  int ready = 0;
  while (came == 0 && ready == 0) {
    ready = ::ppoll(&request, 1, nullptr, &before);
    // Other errors will occur again in read(), which reports them.
    if (ready < 0 && errno == EINTR) ready = 0;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return came == 0;
}

}  // namespace tamis::tools
