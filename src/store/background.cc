// SPDX-License-Identifier: Apache-2.0
// The background threads: how they start and stop, and how others wait for
// them.

#include <system_error>

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
    compactor_.Start();
    preparer_.Start();
    // With filters that are only counted, every lookup waits for its filter.
    if (context_.options.filter_loading == FilterLoading::kInBackground &&
        context_.options.filter_use != FilterUse::kAlwaysMaybe) {
      loader_.Start();
    }
    router_.Allow();
    if (makes_filter_files()) filter_files_.Start();
  } catch (const std::system_error& error) {
    return Status::ResourceExhausted(
        context_.dir +
        ": the system has no thread for background work: " + error.what());
  }
  return Status::Ok();
}

// Also called if only some of them, or none, have started.
void StoreImpl::StopThreads() {
  if (!flusher_.has_started()) return;
  // A large memtable is written now: replaying its log would take longer.  If
  // that fails, the log is replayed.
  if (compactor_.has_started() &&
      views_.Current()->memtable.table->bytes() > kLittleBytes) {
    (void)NoThrow([this] { return writer_.Flush(); });
  }
  filter_files_.Stop();
  {
    const StoreLock lock(context_.mutex);
    background_.Close();
    compactor_.Stop();
    loader_.Stop();
    router_.Stop();
  }
  flusher_.Join();
  if (loader_.has_started()) loader_.Join();
  router_.Join();
  if (filter_files_.has_started()) filter_files_.Join();
  if (compactor_.has_started()) compactor_.Join();
  if (preparer_.has_started()) preparer_.Join();
  if (budget_.was_limited()) {
    // Without the counts the next opening begins with none.
    (void)NoThrow([this] { return settings_.SaveAsked(budget_.Asked()); });
  }
  context_.info_log.Write("closed");
}

Result<CompactReport> StoreImpl::Compact(const CompactOptions& options) {
  if (context_.options.read_only) {
    return Status::InvalidArgument(context_.dir +
                                   ": the store is open for reading");
  }
  if (Status flushed = writer_.Flush(); !flushed.ok()) return flushed;
  return compactor_.Compact(options);
}

Status StoreImpl::SetFilterMemory(std::optional<std::uint64_t> bytes) {
  context_.room.set_limit(bytes.value_or(FilterRoom::kNoLimit));
  router_.Fit();
  return budget_.SetLimit(bytes);
}

Status StoreImpl::WaitForQuiet() {
  if (context_.options.read_only) return Status::Ok();
  const StoreLock lock(context_.mutex);
  background_.flushing().BeginWaiting();
  background_.compacting().BeginWaiting();
  while (!background_.is_closing() && background_.error().ok() &&
         (flusher_.is_busy() || compactor_.is_busy() || loader_.is_busy() ||
          router_.is_busy() ||
          (filter_files_.has_started() && filter_files_.is_busy()) ||
          !views_.current()->immutable.empty() || compactor_.IsNeeded())) {
    background_.WaitForChange();
  }
  background_.flushing().EndWaiting();
  background_.compacting().EndWaiting();
  return background_.error();
}

}  // namespace tamis
