// store/log_markers.h -- what a log of ours says of itself, in records that
// LevelDB reads as batches without changes.
//
// A log begins with its head, two such records.  The first one starts with a
// fragment of no data, which LevelDB reads but never writes at the start of a
// log: so the log is ours.  Their sequence numbers are the two fields of
// LogHead, each plus one: from a batch without changes LevelDB takes the number
// before its own as one that was used, and before 0 there is none.  Every later
// record without changes is a sync mark: when it was written, all before it was
// durable already, in older logs too.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "table/internal_key.h"
#include "tamis/slice.h"

namespace tamis {

struct LogHead {
  // The newest log before this one that has writes which were acknowledged; 0:
  // all of those are in tables.
  std::uint64_t previous_log = 0;
  // The sequence number after the last of those writes.
  Sequence follows = 0;
};

// The bytes that a log begins with, framing included.
std::string LogHeadBytes(const LogHead& head);

// By the sequence numbers of the two records.
LogHead LogHeadOf(Sequence first, Sequence second) noexcept;

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
