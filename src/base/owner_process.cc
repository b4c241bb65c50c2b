// SPDX-License-Identifier: Apache-2.0
#include "base/owner_process.h"

#include <pthread.h>

namespace tamis {

std::atomic<std::uint32_t> OwnerProcess::forks = 0;

OwnerProcess::OwnerProcess() noexcept {
  // Runs in each child, before fork() returns there.  (Without memory for it
  // children would not be told apart, as if there were no such class.)
  static const int registered = ::pthread_atfork(
      nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
  forks_ = forks.load(std::memory_order_relaxed);
}

}  // namespace tamis
