// SPDX-License-Identifier: Apache-2.0
#include "base/give_way.h"

#include <system_error>
#include <thread>

#include "base/mapping_guard.h"
#include "base/no_throw.h"
#include "base/thread_priority.h"

namespace tamis {

Status RunInPieces(const GiveWay& give_way,
                   const std::function<Result<bool>()>& piece) {
  const auto is_urgent = [&] {
    return give_way.niceness == 0 ||
           (give_way.is_urgent != nullptr &&
            give_way.is_urgent->load(std::memory_order_relaxed));
  };
  Result<bool> done = false;
  if (!is_urgent()) {
    const auto work = [&]() noexcept {
      // The signal mask is that of the thread that starts this one.
      if (give_way.unblock_faults) UnblockFaults();
      RaiseNiceness(give_way.niceness);
      while (done.ok() && !*done && !is_urgent()) done = NoThrow(piece);
    };
    try {
      std::thread(work).join();
    } catch (const std::system_error&) {  // this thread does the work
    } catch (const std::bad_alloc&) {
    }
  }
  while (done.ok() && !*done) done = NoThrow(piece);
  return done.status();
}

}  // namespace tamis
