// The background threads: how they begin, and how others wait for them.

#include <system_error>
#include <thread>

#include "base/mapping_guard.h"
#include "store/store_impl.h"

namespace tamis {

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
  while (!background_.is_closing() && background_.error().ok() &&
         (is_flushing_ || is_compacting_ || !views_.current()->frozen.empty() ||
          NeedsCompaction())) {
    background_.WaitForChange();
  }
  return background_.error();
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
