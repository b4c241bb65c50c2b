// SPDX-License-Identifier: Apache-2.0
#include "store/write_log.h"

namespace tamis {

Status WriteLog::Begin() {
  if (writer_.bytes() > 0) return Status::Ok();
  return writer_.AddHead(LogHeadBytes(head_));
}

Status WriteLog::Append(const WriteBatch& batch) {
  if (Status begun = Begin(); !begun.ok()) return begun;
  return writer_.Add(batch.contents(), CutsThroughMarks(batch.contents()));
}

Status WriteLog::Sync() {
  if (sync_failed()) return sync_failure_;
  Status synced = writer_.Sync();
  if (!synced.ok()) sync_failure_ = synced;
  return synced;
}

Status WriteLog::MarkSynced() {
  // Before its first write the mark covers the logs before it.
  const Sequence next = next_ != 0 ? next_ : head_.follows;
  if (next == 0 || is_marked()) return Status::Ok();
  if (Status begun = Begin(); !begun.ok()) return begun;
  Status added = writer_.Add(MarkRecord(next));
  marked_ = writer_.bytes();
  return added;
}

}  // namespace tamis
