// What the background threads share: errors, and trying again.

#include <algorithm>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/mapping_guard.h"
#include "base/no_throw.h"
#include "store/store_impl.h"

namespace tamis {

// REQUIRES: context_.mutex is held
void StoreImpl::NoteBackgroundError(Status status, const char* what) noexcept {
  background_error_ = std::move(status);
  // A line that there is no memory for is left out.
  (void)NoThrow([&] {
    context_.info_log.Write(
        std::string(what) +
        " failed, will be tried again: " + background_error_.ToString());
    return Status::Ok();
  });
}

bool StoreImpl::WaitToRetry(unsigned failures) {
  // Soon at first: the disk may have room again.
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::milliseconds(std::min<std::int64_t>(
                       10 << std::min(failures, 7u), 1000));
  while (!closing_ && context_.mutex.WaitUntil(work_, end)) {
  }
  return !closing_;
}

Status StoreImpl::StartThreads() {
  // Threads have blocked what the one that begins them has.
  const bool unblock = context_.options.guard_mappings;
  try {
    flush_thread_ = std::thread([this, unblock] {
      if (unblock) UnblockFaults();
      FlushLoop();
    });
    compact_thread_ = std::thread([this, unblock] {
      if (unblock) UnblockFaults();
      CompactLoop();
    });
  } catch (const std::system_error& error) {
    return Status::ResourceExhausted(
        context_.dir +
        ": the system has no thread to give for background work: " +
        error.what());
  }
  return Status::Ok();
}

Status StoreImpl::WaitForQuiet() {
  if (context_.options.read_only) return Status::Ok();
  const StoreLock lock(context_.mutex);
  while (!closing_ && background_error_.ok() &&
         (is_flushing_ || is_compacting_ || !views_.current()->frozen.empty() ||
          NeedsCompaction())) {
    context_.mutex.Wait(change_);
  }
  return background_error_;
}

// REQUIRES: context_.mutex is held
bool StoreImpl::NeedsCompaction() const {
  if (!context_.options.automatic_compaction) return false;
  const CompactionLimits limits = context_.Limits();
  for (int i = 0; i < kStoreLevels - 1; ++i) {
    if (CompactionScore(*views_.current()->version, limits, i) >= 1.0)
      return true;
  }
  return false;
}

}  // namespace tamis
