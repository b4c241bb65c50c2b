// SPDX-License-Identifier: Apache-2.0
#include "base/thread_priority.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>

#if defined(__linux__)
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

void ShortTurns::EndPiece() noexcept {
  constexpr std::chrono::microseconds kTurn(150);
  const auto now = std::chrono::steady_clock::now();
  if (now - since_ < kTurn) return;
  static_cast<void>(::sched_yield());
  since_ = std::chrono::steady_clock::now();
}

}  // namespace tamis
