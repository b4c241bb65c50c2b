// SPDX-License-Identifier: Apache-2.0
// store/store_writer.h -- writes: to the log, then to the memtable.  One writer
// at a time does it, for all that wait behind it.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "store/background_state.h"
#include "store/store_context.h"
#include "store/version_set.h"
#include "store/view_publisher.h"
#include "store/write_log.h"
#include "store/write_queue.h"
#include "store/write_throttle.h"
#include "tamis/store_options.h"
#include "tamis/write_batch.h"

namespace tamis {

// Thread-safe, but for opening and closing.
class StoreWriter {
 public:
  // REQUIRES: all outlive this
  StoreWriter(StoreContext& context, ViewPublisher& views,
              BackgroundState& background, VersionSet& versions);
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  // ---- write.cc
  // As Store::Write(); takes the batch's bytes for its own use.
  Status Write(const WriteOptions& options, WriteBatch* batch)
      TAMIS_EXCLUDES(kStoreMutex, kWriteTurn);
  // What is written from now on goes to this log.  REQUIRES: nobody writes yet
  void UseLog(std::shared_ptr<WriteLog> log) noexcept;
  // REQUIRES: nobody writes any more
  void CloseLog() noexcept;

  // ---- write_room.cc
  // Returns when all that was written before is in tables.
  Status Flush() TAMIS_EXCLUDES(kStoreMutex, kWriteTurn);
  // What is in logs up to that number is in tables, too.
  void ForgetLogsUpTo(std::uint64_t number) noexcept
      TAMIS_REQUIRES(kStoreMutex);

 private:
  using Logs = std::vector<std::shared_ptr<WriteLog>>;

  // ---- write.cc
  std::uint64_t NumbersLeft() const noexcept TAMIS_REQUIRES(kStoreMutex);
  Status PrepareGroup(WriteBatch* group)
      TAMIS_REQUIRES(kStoreMutex, kWriteTurn);
  Status Append(const WriteBatch& batch) TAMIS_REQUIRES(kWriteTurn);
  Status SyncLogs(const Logs& older) TAMIS_REQUIRES(kWriteTurn);
  bool MarkSynced() noexcept TAMIS_REQUIRES(kWriteTurn);
  Status Apply(const WriteBatch& batch, Memtable* memtable)
      TAMIS_REQUIRES(kWriteTurn);

  // ---- write_room.cc; those that wait let go of the mutex meanwhile
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
  void CountStall(std::chrono::steady_clock::duration spent) noexcept;

  StoreContext& context_;
  ViewPublisher& views_;
  BackgroundState& background_;
  VersionSet& versions_;
  WriteQueue queue_{context_.mutex};
  WriteThrottle throttle_ TAMIS_GUARDED_BY(kWriteTurn);
  std::shared_ptr<WriteLog> log_ TAMIS_GUARDED_BY(kWriteTurn);
  bool log_name_is_synced_ TAMIS_GUARDED_BY(kWriteTurn) = false;
  // It must not be written any more.
  bool log_failed_ TAMIS_GUARDED_BY(kStoreMutex) = false;
  // Of memtables that are not flushed yet.
  Logs older_logs_ TAMIS_GUARDED_BY(kStoreMutex);
};

}  // namespace tamis
