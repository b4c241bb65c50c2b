// SPDX-License-Identifier: Apache-2.0
// base/give_way.h -- work that gives way to other threads until it is urgent.
//
// A thread cannot take a raised niceness back without a privilege.  So the
// thread that is in charge of the work never raises its own: it has the work
// done by another one that does, and continues it itself once it is urgent.

#pragma once

#include <atomic>
#include <functional>

#include "tamis/result.h"

namespace tamis {

struct GiveWay {
  int niceness = 0;  // raised by so much; 0: the work is always urgent
  const std::atomic<bool>* is_urgent = nullptr;  // null: it never is
  bool unblock_faults = false;  // in the thread that is started
};

// Calls piece() until it returns true or an error, which is the result: on a
// new thread of raised niceness until the work is urgent, from then on here.
// So the calls follow one another, but come from two threads.  If the system
// refuses a thread, all come from here; bad_alloc counts as ResourceExhausted.
Status RunInPieces(const GiveWay& give_way,
                   const std::function<Result<bool>()>& piece);

}  // namespace tamis
