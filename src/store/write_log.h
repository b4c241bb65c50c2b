// SPDX-License-Identifier: Apache-2.0
// store/write_log.h -- the log that a store writes its batches to: records of
// LevelDB's, and the marks of store/log_markers.h that recovery goes by.

#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "store/log_markers.h"
#include "store/log_writer.h"
#include "tamis/write_batch.h"

namespace tamis {

// One writer at a time.
class WriteLog {
 public:
  // A new one, whose file is empty.  Its head is written with its first batch.
  WriteLog(std::uint64_t number, std::unique_ptr<WritableFile> file,
           const LogHead& head)
      : number_(number), writer_(std::move(file)), head_(head) {}
  // One that is there and is ours: `written` bytes, which end with the write
  // before `next`, or without any if that is 0; if both are, it is as good as
  // new.
  WriteLog(std::uint64_t number, std::unique_ptr<WritableFile> file,
           const LogHead& head, std::uint64_t written, Sequence next)
      : number_(number),
        writer_(std::move(file), written),
        head_(head),
        next_(next),
        is_inherited_(written != 0) {}

  // What another process wrote may be in the system's memory only, and if its
  // sync failed, no later one would write it.
  bool is_inherited() const noexcept { return is_inherited_; }

  std::uint64_t number() const noexcept { return number_; }
  std::uint64_t bytes() const noexcept { return writer_.bytes(); }

  // The batch survives the process once this returns.  After an error the log
  // must not be written any more.
  Status Append(const WriteBatch& batch);
  // The write before `next` was acknowledged, or is about to be.
  void Acknowledge(Sequence next) noexcept { next_ = next; }

  // What was appended is durable once this returns.  After an error it fails
  // for good, though the system may say ok the next time: it has then dropped
  // what it could not write.
  Status Sync();
  bool sync_failed() const noexcept { return !sync_failure_.ok(); }
  // It holds what no sync of this log makes durable: what must be so must be
  // written again elsewhere.
  bool needs_rewriting() const noexcept {
    return is_inherited_ || sync_failed();
  }
  // The name of the log did not become durable, which is as bad.
  void FailSync(const Status& why) { sync_failure_ = why; }
  // Says in the log that all before is durable, in the logs before it, too.
  // REQUIRES: it is
  Status MarkSynced();

  Status Close() { return writer_.Close(); }

  // What the log after this one begins with.
  LogHead HeadOfNext() const noexcept {
    return next_ == 0 ? head_ : LogHead{number_, next_};
  }

 private:
  Status Begin();
  bool is_marked() const noexcept {
    return marked_ > 0 && writer_.bytes() == marked_;
  }

  std::uint64_t number_;
  LogWriter writer_;
  LogHead head_;
  Sequence next_ = 0;         // 0: nothing was acknowledged
  std::uint64_t marked_ = 0;  // where the last mark ends; 0: none
  bool is_inherited_ = false;
  Status sync_failure_;
};

}  // namespace tamis
