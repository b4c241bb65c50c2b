// The background threads: how they begin and end, and how others wait for them.

#include <system_error>

#include "base/mapping_guard.h"
#include "base/no_throw.h"
#include "store/store_impl.h"

namespace tamis {
namespace {

// Below this a log is replayed faster than a table is written, synced and
// compacted.
constexpr std::size_t kLittleBytes = std::size_t{4} << 20;

}  // namespace

Status StoreImpl::StartThreads() {
  try {
    flusher_.Start();
    compact_thread_ = std::thread([this] {
      if (context_.options.guard_mappings) UnblockFaults();
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

// Also where one of them, or none, has started.
void StoreImpl::StopThreads() {
  if (!flusher_.has_started()) return;
  // A large memtable is written now: replaying its log would take longer.
  // Where that fails, so must it be.
  if (compact_thread_.joinable() &&
      views_.Current()->memtable.table->bytes() > kLittleBytes) {
    (void)NoThrow([this] { return writer_.Flush(); });
  }
  {
    const StoreLock lock(context_.mutex);
    background_.Close();
    stop_compactions_.store(true, std::memory_order_relaxed);
  }
  flusher_.Join();
  if (compact_thread_.joinable()) compact_thread_.join();
  context_.info_log.Write("closed");
}

Status StoreImpl::WaitForQuiet() {
  if (context_.options.read_only) return Status::Ok();
  const StoreLock lock(context_.mutex);
  while (!background_.is_closing() && background_.error().ok() &&
         (flusher_.is_busy() || is_compacting_ ||
          !views_.current()->frozen.empty() || NeedsCompaction())) {
    background_.WaitForChange();
  }
  return background_.error();
}

bool StoreImpl::NeedsCompaction() const {
  if (!context_.options.automatic_compaction) return false;
  const CompactionLimits limits = context_.Limits();
  for (int i = 0; i < kStoreLevels - 1; ++i) {
    if (CompactionScore(*views_.current()->version, limits, i) >= 1.0) {
      return true;
    }
  }
  return false;
}

}  // namespace tamis
