#include "store/write_log.h"

namespace tamis {

Status WriteLog::Append(const WriteBatch& batch) {
  if (writer_.bytes() == 0) {
    const std::string head = LogHeadBytes(head_);
    if (Status begun = writer_.AddHead(head); !begun.ok()) return begun;
  }
  return writer_.Add(batch.contents());
}

Status WriteLog::Sync() {
  if (sync_failed()) return sync_failure_;
  Status synced = writer_.Sync();
  if (!synced.ok()) sync_failure_ = synced;
  return synced;
}

Status WriteLog::MarkSynced() {
  if (next_ == 0 || writer_.bytes() == marked_) return Status::Ok();
  Status added = writer_.Add(MarkRecord(next_));
  marked_ = writer_.bytes();
  return added;
}

}  // namespace tamis
