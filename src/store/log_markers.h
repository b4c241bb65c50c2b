// SPDX-License-Identifier: Apache-2.0
// store/log_markers.h -- metadata of our logs, in records that LevelDB reads as
// batches without changes.
//
// A log starts with its head, several such records.  The first one starts with
// a fragment of no data, which LevelDB reads but never writes at the start of a
// log: so the log is ours.  Those between the first and the last are the octal
// digits of LogHead::previous_log, the least significant first: each is split
// into two fragments, and the length of the first one, less one, is the digit.
// In the last record of the head it is nine.  So none of them looks like a sync
// mark.  From a batch without changes LevelDB concludes that the sequence
// number before the batch's was used.  So all of them have the number
// LogHead::follows, which is correct, or 1 instead of 0.  Every later record
// without changes is a sync mark: when it was written, all before it was
// durable already, in older logs, too.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "table/internal_key.h"
#include "tamis/slice.h"

namespace tamis {

struct LogHead {
  // The newest log before this one that has acknowledged writes; 0: all of
  // those are in tables.
  std::uint64_t previous_log = 0;
  // The sequence number after the last write before this log was started; 0, or
  // 1 when read back: there was none.
  Sequence follows = 0;
};

// Returns the bytes that a log starts with, including the framing.
std::string LogHeadBytes(const LogHead& head);

// Takes the records of a log, from its first on, while they belong to its head.
class LogHeadReader {
 public:
  enum class Found { kMore, kWhole, kNone };
  // `first_piece` is the length of the record's first fragment, or nothing if
  // it is in one piece.  kWhole: head() is complete with this record.  kNone:
  // neither it nor a later record belongs to a head.
  Found Take(Slice record, std::optional<std::size_t> first_piece) noexcept;

  const LogHead& head() const noexcept { return head_; }
  // True: a head has started, though it may not be complete.
  bool has_begun() const noexcept { return has_begun_; }

 private:
  LogHead head_;
  unsigned shift_ = 0;
  bool has_begun_ = false;
};

// Returns a record without changes.  REQUIRES: next > 0
std::string MarkRecord(Sequence next);
bool IsMark(Slice record) noexcept;

// Returns true if a sync mark is somewhere in these bytes, which may be
// anything, and its number can come after `from`.
bool HoldsSyncMark(Slice bytes, Sequence from) noexcept;

// Returns places in a record, in order.  If a fragment starts at each of them,
// none contains the bytes of a sync mark, even if a value is another store's
// log: after a hole they could not be distinguished from a mark of the log
// itself.
std::vector<std::size_t> CutsThroughMarks(Slice record);

}  // namespace tamis
