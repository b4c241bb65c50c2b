// SPDX-License-Identifier: Apache-2.0
#include "base/owner_process.h"

#include <pthread.h>

namespace tamis {

std::atomic<std::uint32_t> OwnerProcess::forks = 0;

OwnerProcess::OwnerProcess() noexcept {
  // Runs in each child, before fork() returns there.  (If it cannot be
  // registered for lack of memory, children are not recognised.)
  static const int registered = ::pthread_atfork(
      nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
  forks_ = forks.load(std::memory_order_relaxed);
}

}  // namespace tamis
