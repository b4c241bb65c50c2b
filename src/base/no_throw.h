// SPDX-License-Identifier: Apache-2.0
// base/no_throw.h -- where memory runs out, a Status says so.
//
// Inside the library `new` throws, as everywhere; at the doors of the library,
// and where a thread begins, this turns it into ResourceExhausted.

#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
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

// The same for work() that appends to *dst, which is as it was where that fails
// or throws.
template <typename Work>
auto NoThrowAppending(std::string* dst, Work&& work) noexcept
    -> decltype(work()) {
  const std::size_t start = dst->size();
  auto result = NoThrow(std::forward<Work>(work));
  if (!result.ok()) dst->resize(start);
  return result;
}

// Within the library, where the lack of memory that a Status tells of must not
// be taken for an answer.
inline void ThrowIfOutOfMemory(const Status& status) {
  if (status.code() == StatusCode::kResourceExhausted) throw std::bad_alloc();
}

}  // namespace tamis
