// SPDX-License-Identifier: Apache-2.0
// store/write_log.h -- the log of a store's batches: LevelDB's records, and the
// marks of store/log_markers.h that recovery uses.

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
  // Starts a new log, whose file is empty.  Its head is written with its first
  // batch.
  WriteLog(std::uint64_t number, std::unique_ptr<WritableFile> file,
           const LogHead& head)
      : number_(number), writer_(std::move(file)), head_(head) {}
  // Continues an existing log of ours with `written` bytes, which ends with the
  // write before `next`, or has none if that is 0; if both are 0, it is like a
  // new one.
  WriteLog(std::uint64_t number, std::unique_ptr<WritableFile> file,
           const LogHead& head, std::uint64_t written, Sequence next)
      : number_(number),
        writer_(std::move(file), written),
        head_(head),
        next_(next),
        is_inherited_(written != 0) {}

  // True: another process wrote it.  Its writes may be only in the system's
  // memory, and if its sync failed, no later sync would write them.
  bool is_inherited() const noexcept { return is_inherited_; }

  std::uint64_t number() const noexcept { return number_; }
  std::uint64_t bytes() const noexcept { return writer_.bytes(); }

  // The batch survives the process once this returns.  After an error the log
  // must not be written to.
  Status Append(const WriteBatch& batch);
  // The write before `next` was acknowledged, or is about to be.
  void Acknowledge(Sequence next) noexcept { next_ = next; }

  // What was appended is durable once this returns.  After an error it fails
  // for good, even if the system would report success the next time: it may
  // have dropped what it could not write.
  Status Sync();
  bool sync_failed() const noexcept { return !sync_failure_.ok(); }
  // True: it has writes that no sync of this log makes durable: they must be
  // written again elsewhere.
  bool needs_rewriting() const noexcept {
    return is_inherited_ || sync_failed();
  }
  // The directory entry of the log did not become durable, which is as bad.
  void FailSync(const Status& why) { sync_failure_ = why; }
  // Marks in the log that all before is durable, in earlier logs, too.
  // REQUIRES: it is
  Status MarkSynced();

  // Returns true if PrepareMore() should be called soon.  Then it returns false
  // until much more was appended.
  bool WantsMore() noexcept {
    if (writer_.bytes() < prepare_at_) return false;
    prepare_at_ = writer_.bytes() + kPrepareEach;
    return true;
  }
  // See WritableFile.  Any thread may call it, while another one appends.
  void PrepareMore() { writer_.PrepareMore(); }

  Status Close() { return writer_.Close(); }

  // The head of the log after this one.
  LogHead HeadOfNext() const noexcept {
    return next_ == 0 ? head_ : LogHead{number_, next_};
  }

 private:
  // A log that stays short needs nothing; then this is half of what the file
  // prepares each time.
  static constexpr std::uint64_t kPrepareFrom = std::uint64_t{256} << 10;
  static constexpr std::uint64_t kPrepareEach = std::uint64_t{512} << 10;

  Status Begin();
  bool is_marked() const noexcept {
    return marked_ > 0 && writer_.bytes() == marked_;
  }

  std::uint64_t number_;
  LogWriter writer_;
  LogHead head_;
  Sequence next_ = 0;         // 0: nothing was acknowledged
  std::uint64_t marked_ = 0;  // where the last mark ends; 0: none
  std::uint64_t prepare_at_ = kPrepareFrom;  // so many bytes
  bool is_inherited_ = false;
  Status sync_failure_;
};

}  // namespace tamis
