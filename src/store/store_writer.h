// SPDX-License-Identifier: Apache-2.0
// store/store_writer.h -- writes to the log, then to the memtable.  One writer
// at a time does it, for all that wait behind it.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "store/background_state.h"
#include "store/preparer.h"
#include "store/store_context.h"
#include "store/version_set.h"
#include "store/view_publisher.h"
#include "store/write_log.h"
#include "store/write_queue.h"
#include "store/write_throttle.h"
#include "tamis/store_options.h"
#include "tamis/write_batch.h"

namespace tamis {

// Thread-safe, except for opening and closing.
class StoreWriter {
 public:
  // REQUIRES: all outlive this
  StoreWriter(StoreContext& context, ViewPublisher& views,
              BackgroundState& background, VersionSet& versions,
              Preparer& preparer);
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  // ---- write.cc
  // As Store::Write(); consumes the batch's bytes.
  Status Write(const WriteOptions& options, WriteBatch* batch)
      TAMIS_EXCLUDES(kStoreMutex, kWriteTurn);
  // Directs all further writes to this log.  REQUIRES: there are no writers yet
  void UseLog(std::shared_ptr<WriteLog> log) noexcept;
  // REQUIRES: there are no more writers
  void CloseLog() noexcept;

  // ---- write_room.cc
  // Returns when all that was written before is in tables.
  Status Flush() TAMIS_EXCLUDES(kStoreMutex, kWriteTurn);
  using Logs = std::vector<std::shared_ptr<WriteLog>>;
  // Forgets logs up to that number, whose writes are in tables.  As many as fit
  // are moved to *forgotten, for which no memory is allocated: the caller lets
  // them go without the mutex, because closing a file takes long.
  void ForgetLogsUpTo(std::uint64_t number, Logs* forgotten) noexcept
      TAMIS_REQUIRES(kStoreMutex);

 private:
  // ---- write.cc
  std::uint64_t NumbersLeft() const noexcept TAMIS_REQUIRES(kStoreMutex);
  Status PrepareGroup(WriteBatch* group)
      TAMIS_REQUIRES(kStoreMutex, kWriteTurn);
  Status Append(const WriteBatch& batch) TAMIS_REQUIRES(kWriteTurn);
  Status SyncLogs(const Logs& older) TAMIS_REQUIRES(kWriteTurn);
  bool MarkSynced() noexcept TAMIS_REQUIRES(kWriteTurn);
  Status Apply(const WriteBatch& batch, Memtable* memtable)
      TAMIS_REQUIRES(kWriteTurn);

  // ---- write_room.cc; those that wait release the mutex meanwhile
  Status MakeReady(const QueuedWrite& write)
      TAMIS_REQUIRES(kStoreMutex, kWriteTurn);
  void SlowDown(std::size_t bytes) TAMIS_REQUIRES(kStoreMutex, kWriteTurn);
  Status MakeRoom() TAMIS_REQUIRES(kStoreMutex, kWriteTurn);
  bool MustWaitForRoom() const TAMIS_REQUIRES(kStoreMutex);
  Status SwitchMemtable() TAMIS_REQUIRES(kStoreMutex, kWriteTurn);
  bool AnyLogNeedsRewriting() const TAMIS_REQUIRES(kStoreMutex);
  Status WaitForFailedLogs() TAMIS_REQUIRES(kStoreMutex);
  bool IsFlushedBefore(std::uint64_t log_number) const
      TAMIS_REQUIRES(kStoreMutex);
  Status WaitForFlush(std::uint64_t log_number) TAMIS_REQUIRES(kStoreMutex);
  void PrepareMore() noexcept TAMIS_REQUIRES(kStoreMutex, kWriteTurn);
  void CountStall(std::chrono::steady_clock::duration spent) noexcept;

  StoreContext& context_;
  ViewPublisher& views_;
  BackgroundState& background_;
  VersionSet& versions_;
  Preparer& preparer_;
  WriteQueue queue_{context_.mutex};
  WriteThrottle throttle_ TAMIS_GUARDED_BY(kWriteTurn);
  std::shared_ptr<WriteLog> log_ TAMIS_GUARDED_BY(kWriteTurn);
  bool log_name_is_synced_ TAMIS_GUARDED_BY(kWriteTurn) = false;
  // True: the log must not be written to.
  bool log_failed_ TAMIS_GUARDED_BY(kStoreMutex) = false;
  // The logs of memtables that are not flushed yet.
  Logs older_logs_ TAMIS_GUARDED_BY(kStoreMutex);
};

}  // namespace tamis
