// SPDX-License-Identifier: Apache-2.0
// store/log_markers.h -- what a log of ours says of itself, in records that
// LevelDB reads as batches without changes.
//
// A log begins with its head, several such records.  The first one starts with
// a fragment of no data, which LevelDB reads but never writes at the start of a
// log: so the log is ours.  Those between the first and the last are the octal
// digits of LogHead::previous_log, the least first: each is cut into two
// fragments, and the length of the first one, less one, is the digit.  In the
// last record of the head it is nine.  So none of them looks like a sync mark.
// From a batch without changes LevelDB takes the number before its own as one
// that was used.  So all of them have the number
// LogHead::follows, which is the truth, or 1 in its place: before 0 there is
// none.  Every later record without changes is a sync mark: when it was
// written, all before it was durable already, in older logs too.

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
  // The newest log before this one that has writes which were acknowledged; 0:
  // all of those are in tables.
  std::uint64_t previous_log = 0;
  // The sequence number after the last write before this log was begun; 0, or
  // 1 when it was read again: there was none.
  Sequence follows = 0;
};

// The bytes that a log begins with, framing included.
std::string LogHeadBytes(const LogHead& head);

// Takes the records of a log, from its first on, while they are of its head.
class LogHeadReader {
 public:
  enum class Found { kMore, kWhole, kNone };
  // `first_piece` is the length of the record's first fragment, and nothing
  // where it is in one piece.  kWhole: with this record head() is there. kNone:
  // it is of no head, and no other will be.
  Found Take(Slice record, std::optional<std::size_t> first_piece) noexcept;

  const LogHead& head() const noexcept { return head_; }
  // True: a head has begun, though it may not be there to its end.
  bool has_begun() const noexcept { return has_begun_; }

 private:
  LogHead head_;
  unsigned shift_ = 0;
  bool has_begun_ = false;
};

// A record without changes.  REQUIRES: next > 0
std::string MarkRecord(Sequence next);
bool IsMark(Slice record) noexcept;

// True: a sync mark lies somewhere in these bytes, which may be of any kind,
// and its number is one that can come after `from`.
bool HoldsSyncMark(Slice bytes, Sequence from) noexcept;

// Places in a record, in order.  Where a fragment begins at each of them, none
// holds the bytes of a sync mark, though a value may be another store's log:
// behind a hole nobody could tell them from a mark of the log itself.
std::vector<std::size_t> CutsThroughMarks(Slice record);

}  // namespace tamis
