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

// REQUIRES: mutex_ is held
void StoreImpl::NoteBackgroundError(Status status, const char* what) noexcept {
  background_error_ = std::move(status);
  // A line that there is no memory for is left out.
  (void)NoThrow([&] {
    info_log_->Write(std::string(what) + " failed, will be tried again: " +
                     background_error_.ToString());
    return Status::Ok();
  });
}

bool StoreImpl::WaitToRetry(std::unique_lock<std::mutex>& lock,
                            unsigned failures) {
  // Soon at first: the disk may have room again.
  const auto wait = std::chrono::milliseconds(
      std::min<std::int64_t>(10 << std::min(failures, 7u), 1000));
  work_.wait_for(lock, wait, [this] { return closing_; });
  return !closing_;
}

void StoreImpl::FilterDamaged(void* store, const std::string& what) {
  auto* self = static_cast<StoreImpl*>(store);
  self->done_.damaged_filters.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(self->mutex_);
    self->last_filter_damage_ = what;
  }
  self->info_log_->Write("filter cannot be used, the table is read without: " +
                         what);
}

// REQUIRES: mutex_ is not held
void StoreImpl::NoteFilterNotBuilt(const std::string& what) {
  done_.filters_not_built.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    last_filter_not_built_ = what;
  }
  info_log_->Write("filter cannot be built, the table is written without: " +
                   what);
}

Status StoreImpl::StartThreads() {
  // Threads have blocked what the one that begins them has.
  const bool unblock = options_.guard_mappings;
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
        dir_ + ": the system has no thread to give for background work: " +
        error.what());
  }
  return Status::Ok();
}

Status StoreImpl::WaitForQuiet() {
  if (options_.read_only) return Status::Ok();
  std::unique_lock lock(mutex_);
  change_.wait(lock, [this] {
    if (closing_ || !background_error_.ok()) return true;
    if (is_flushing_ || is_compacting_ || !current_->frozen.empty()) {
      return false;
    }
    return !NeedsCompaction();
  });
  return background_error_;
}

// REQUIRES: mutex_ is held
bool StoreImpl::NeedsCompaction() const {
  if (!options_.automatic_compaction) return false;
  const CompactionLimits limits = Limits();
  for (int i = 0; i < kStoreLevels - 1; ++i) {
    if (CompactionScore(*current_->version, limits, i) >= 1.0) return true;
  }
  return false;
}

CompactionLimits StoreImpl::Limits() const {
  return {.level1_bytes = options_.level1_bytes,
          .level_growth = options_.level_growth,
          .level0_tables = options_.level0_compact_at,
          .table_bytes = options_.table_bytes};
}

}  // namespace tamis
