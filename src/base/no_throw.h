// SPDX-License-Identifier: Apache-2.0
// base/no_throw.h -- turns std::bad_alloc into a Status.
//
// Inside the library `new` throws; at its public interface, and at the start of
// a thread, this turns the exception into ResourceExhausted.

#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "tamis/status.h"

namespace tamis {

// Returns ResourceExhausted, without allocating memory.
Status OutOfMemory() noexcept;

// Returns what work() returns, a Status or a Result, or OutOfMemory() if it
// throws std::bad_alloc or std::length_error (a size beyond any memory).
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

// The same for work() that appends to *dst; if it fails or throws, *dst is
// restored.
template <typename Work>
auto NoThrowAppending(std::string* dst, Work&& work) noexcept
    -> decltype(work()) {
  const std::size_t start = dst->size();
  auto result = NoThrow(std::forward<Work>(work));
  if (!result.ok()) dst->resize(start);
  return result;
}

// Throws std::bad_alloc if `status` reports a lack of memory, for callers in
// the library that must not mistake that for a result.
inline void ThrowIfOutOfMemory(const Status& status) {
  if (status.code() == StatusCode::kResourceExhausted) throw std::bad_alloc();
}

}  // namespace tamis
