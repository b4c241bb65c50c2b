// base/no_throw.h -- where memory runs out, a Status says so.
//
// Inside the library `new` throws, as everywhere; at the doors of the library,
// and where a thread begins, this turns it into ResourceExhausted.

#pragma once

#include <new>
#include <stdexcept>
#include <utility>

#include "tamis/status.h"

namespace tamis {

// Takes no memory where there is none.
Status OutOfMemory() noexcept;

// What work() returns: a Status, or a Result.  OutOfMemory() if it throws
// std::bad_alloc, or std::length_error (more than could ever be).
// REQUIRES: it throws nothing else
template <typename Work>
auto NoThrow(Work&& work) noexcept -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::length_error&) {
    return OutOfMemory();
  }
}

}  // namespace tamis
