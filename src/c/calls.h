// SPDX-License-Identifier: Apache-2.0
// c/calls.h -- what every function of tamis/c.h does: arguments in, a code and
// a message out, and no exception.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/no_throw.h"
#include "tamis/result.h"
#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// Sets *message, if it is not null, to a copy of the status' text, or to null.
// Returns the code.
int Report(const Status& status, char** message) noexcept;

// Does work(), which returns a Status, and reports it.
template <typename Work>
int Call(char** message, Work&& work) noexcept {
  return Report(NoThrow(std::forward<Work>(work)), message);
}

// Does work(), which may run out of memory; false: it did.
template <typename Work>
bool Try(Work&& work) noexcept {
  return NoThrow([&] {
           work();
           return Status::Ok();
         })
      .ok();
}

inline Slice SliceOf(const char* bytes, std::size_t length) noexcept {
  return length == 0 ? Slice() : Slice(bytes, length);
}

// Sets *bytes and *length to a copy of `from`, which a '\0' follows.
// ResourceExhausted: there is no memory; both are as they were.
Status CopyOut(Slice from, char** bytes, std::size_t* length) noexcept;

// The keys of one call, as many at a time as a batch of queries has.
inline constexpr std::size_t kKeysAtATime = 256;

// Calls work(keys, first) for pieces of `count` keys; `first` is the number of
// the first of them.  key(i) returns a Slice.
template <typename Key, typename Work>
void ForPieces(std::size_t count, Key&& key, Work&& work) {
  std::array<Slice, kKeysAtATime> keys;
  for (std::size_t first = 0; first < count; first += kKeysAtATime) {
    const std::size_t n = std::min(kKeysAtATime, count - first);
    for (std::size_t i = 0; i < n; ++i) keys[i] = key(first + i);
    work(std::span<const Slice>(keys.data(), n), first);
  }
}

// Keys as (pointer, length) pairs.
struct PairedKeys {
  const char* const* keys;
  const std::size_t* lengths;

  Slice operator()(std::size_t i) const noexcept {
    return SliceOf(keys[i], lengths[i]);
  }
};

// Keys of one width in an array.
struct FixedKeys {
  const void* keys;
  std::size_t width;
  std::size_t stride;

  Slice operator()(std::size_t i) const noexcept {
    return SliceOf(static_cast<const char*>(keys) + i * stride, width);
  }
};

}  // namespace tamis
