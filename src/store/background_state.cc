// SPDX-License-Identifier: Apache-2.0
#include "store/background_state.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "base/no_throw.h"

namespace tamis {

bool BackgroundState::WaitToRetry(unsigned failures) {
  // Retries soon at first: the disk may have space again.
  const std::chrono::milliseconds wait(
      std::min<std::int64_t>(10 << std::min(failures, 7u), 1000));
  const auto end = std::chrono::steady_clock::now() + wait;
  while (!is_closing_ && mutex_.WaitUntil(work_, end)) {
  }
  return !is_closing_;
}

void BackgroundState::NoteError(Status error, const char* what) noexcept {
  error_ = std::move(error);
  // Without memory the line is left out.
  (void)NoThrow([&] {
    mutex_.AssertHeld();
    log_.Write(std::string(what) +
               " failed, will be tried again: " + error_.ToString());
    return Status::Ok();
  });
}

void BackgroundState::Close() noexcept {
  is_closing_ = true;
  flushing_.BeginWaiting();
  compacting_.BeginWaiting();
  work_.NotifyAll();
  change_.NotifyAll();
  requests_.NotifyAll();
}

}  // namespace tamis
