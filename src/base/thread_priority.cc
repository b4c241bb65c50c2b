// SPDX-License-Identifier: Apache-2.0
#include "base/thread_priority.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <thread>

#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace tamis {

int NicenessOfThisThread() noexcept {
#if defined(__linux__)
  return ::getpriority(PRIO_PROCESS, 0);
#else
  return 0;
#endif
}

void RaiseNiceness(int by) noexcept {
#if defined(__linux__)
  // On Linux niceness belongs to a thread, and a thread's number is accepted as
  // that of a process.
  constexpr int kMin = -20;
  constexpr int kMax = 19;
  const int raised =
      std::min(NicenessOfThisThread() + std::min(by, kMax - kMin), kMax);
  const auto thread = static_cast<id_t>(::syscall(SYS_gettid));
  static_cast<void>(::setpriority(PRIO_PROCESS, thread, raised));
#else
  static_cast<void>(by);
#endif
}

void SleepPrecisely(std::chrono::nanoseconds time) noexcept {
#if defined(__linux__)
  constexpr unsigned long kNanoseconds = 1000;
  const int before = ::prctl(PR_GET_TIMERSLACK);
  static_cast<void>(::prctl(PR_SET_TIMERSLACK, kNanoseconds));
  std::this_thread::sleep_for(time);
  if (before > 0) {
    static_cast<void>(
        ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before)));
  }
#else
  std::this_thread::sleep_for(time);
#endif
}

void ShortTurns::EndPiece() noexcept {
  constexpr std::chrono::microseconds kTurn(150);
  const auto now = std::chrono::steady_clock::now();
  if (now - since_ < kTurn) return;
  static_cast<void>(::sched_yield());
  since_ = std::chrono::steady_clock::now();
}

}  // namespace tamis
