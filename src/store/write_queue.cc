// SPDX-License-Identifier: Apache-2.0
#include "store/write_queue.h"

#include "base/no_throw.h"

namespace tamis {
namespace {

// A group is written as a whole, so it must not keep a small write waiting.
constexpr std::size_t kMaxGroupBytes = std::size_t{1} << 20;
constexpr std::size_t kSmallBytes = std::size_t{128} << 10;

Status CopyOf(const Status& status) noexcept {
  return NoThrow([&] { return status; });
}

}  // namespace

bool WriteQueue::WaitForTurn(QueuedWrite* write) {
  queue_.push_back(write);
  while (!write->is_done && queue_.front() != write) mutex_.Wait(write->turn);
  return !write->is_done;
}

WriteGroup WriteQueue::FormGroup(std::uint64_t max_changes) {
  QueuedWrite* const first = queue_.front();
  WriteGroup group{first->batch, first};
  std::size_t bytes = first->batch->bytes();
  std::uint64_t count = first->batch->count();
  const std::size_t max_bytes =
      bytes <= kSmallBytes ? bytes + kSmallBytes : kMaxGroupBytes;
  for (auto next = queue_.begin() + 1; next != queue_.end(); ++next) {
    QueuedWrite* const write = *next;
    // An unsynced write must not complete a synced one.
    if (write->is_alone || (write->sync && !first->sync)) break;
    bytes += write->batch->bytes();
    if (bytes > max_bytes) break;
    count += write->batch->count();
    if (count > max_changes) break;
    const Status added = NoThrow([&] {
      AssertTurn();
      if (group.batch == first->batch) {
        group_batch_.Append(*first->batch);
        group.batch = &group_batch_;
      }
      group_batch_.Append(*write->batch);
      return Status::Ok();
    });
    if (!added.ok()) break;  // no memory: the group is smaller
    group.last = write;
  }
  return group;
}

void WriteQueue::Finish(const WriteGroup& group,
                        const Status& status) noexcept {
  if (group.batch == &group_batch_) group_batch_.Clear();
  QueuedWrite* const first = queue_.front();
  QueuedWrite* const last = group.last != nullptr ? group.last : first;
  while (true) {
    QueuedWrite* const done = queue_.front();
    queue_.pop_front();
    if (done != first) {
      done->status = CopyOf(status);
      done->is_done = true;
      done->turn.NotifyOne();
    }
    if (done == last) break;
  }
  if (!queue_.empty()) queue_.front()->turn.NotifyOne();
}

}  // namespace tamis
