// SPDX-License-Identifier: Apache-2.0
#include "table/block_cursor.h"

#include <algorithm>
#include <cstring>

namespace tamis {

void BlockCursor::Reset(const Block& block, const KeyOrder* order) noexcept {
  block_ = block;
  order_ = order;
  key_ = {};
  out_of_order_ = false;
  valid_ = false;
  damaged_ = false;
}

void BlockCursor::Grow(std::size_t bytes) {
  // No more than twice the block: a key consists of bytes in it.
  const std::size_t capacity = std::max<std::size_t>(2 * capacity_, bytes + 64);
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  std::memcpy(larger.get(), key_.data(), key_.size());
  if (!key_is_whole()) key_ = {larger.get(), key_.size()};
  buffer_ = std::move(larger);
  capacity_ = capacity;
}

// False: the key before is shorter than the shared prefix.
[[gnu::always_inline]] inline bool BlockCursor::TakeKey(const char* suffix,
                                                        const EntryHead& head) {
  if (head.shared == 0) {
    key_ = {suffix, head.unshared};
    return true;
  }
  if (head.shared > key_.size()) return false;
  const std::size_t size = std::size_t{head.shared} + head.unshared;
  if (size > capacity_ || key_.size() > capacity_) {
    Grow(std::max(size, key_.size()));
  }
  if (key_is_whole()) std::memcpy(buffer_.get(), key_.data(), head.shared);
  std::memcpy(buffer_.get() + head.shared, suffix, head.unshared);
  key_ = {buffer_.get(), size};
  return true;
}

// Returns whether the entry's key comes after key_ or equals it.  Both are
// internal keys in bytewise order.  The new one need not be assembled: it
// starts like key_.
bool BlockCursor::ComesNextByBytes(const char* suffix,
                                   const EntryHead& head) const {
  const std::size_t shared = head.shared;
  const std::size_t size = shared + head.unshared;
  if (key_.size() < kTrailerBytes || size < kTrailerBytes) return false;
  const std::size_t old_user = key_.size() - kTrailerBytes;
  const std::size_t new_user = size - kTrailerBytes;
  if (shared >= old_user) {  // all of the old user key, perhaps more
    if (new_user != old_user) return new_user > old_user;
    char trailer[kTrailerBytes];
    std::memcpy(trailer, key_.data() + old_user, kTrailerBytes);
    std::memcpy(trailer + (shared - old_user), suffix, head.unshared);
    return LoadLittle64(trailer) <= TrailerOf(key_);
  }
  if (new_user <= shared) return false;  // only the start of the old one
  const Slice mine(suffix, new_user - shared);
  const int order = UserKeyOf(key_).substr(shared).compare(mine);
  if (order != 0) return order < 0;
  return LoadLittle64(suffix + mine.size()) <= TrailerOf(key_);
}

// As TakeKey(), and false as well if the key is out of order.
bool BlockCursor::TakeKeyInOrder(const char* suffix, const EntryHead& head) {
  if (head.shared > key_.size()) return false;
  if (order_->is_bytewise()) [[likely]] {
    // Almost always its first unshared byte decides.
    const bool is_after = key_.size() > head.shared + kTrailerBytes &&
                          head.unshared > kTrailerBytes &&
                          static_cast<unsigned char>(*suffix) >
                              static_cast<unsigned char>(key_[head.shared]);
    if (!is_after && !ComesNextByBytes(suffix, head)) {
      out_of_order_ = true;
      return false;
    }
    return TakeKey(suffix, head);
  }
  previous_.assign(key_);
  if (!TakeKey(suffix, head)) return false;
  out_of_order_ = previous_.size() < kTrailerBytes ||
                  key_.size() < kTrailerBytes ||
                  order_->Compare(previous_, key_) > 0;
  return !out_of_order_;
}

// With an order, steps only to a key that is in order.
void BlockCursor::Step(const KeyOrder* order) {
  if (next_ == block_.end()) {
    valid_ = false;
    return;
  }
  EntryHead head;
  const char* const suffix = DecodeEntry(next_, block_.end(), &head);
  if (suffix == nullptr) return Fail();
  const bool taken = order == nullptr || key_.empty()
                         ? TakeKey(suffix, head)
                         : TakeKeyInOrder(suffix, head);
  if (!taken) return Fail();
  entry_ = next_;
  value_ = {suffix + head.unshared, head.value_bytes};
  next_ = value_.data() + value_.size();
  valid_ = true;
}

// Goes before that entry, so that Step() reaches it.
void BlockCursor::GoToRestart(std::uint32_t i) {
  next_ = block_.Restart(i);
  key_ = {};
  value_ = {};
  if (next_ == nullptr) Fail();
}

void BlockCursor::SeekToFirst() {
  damaged_ = false;
  next_ = block_.begin();
  key_ = {};
  Step(nullptr);
}

void BlockCursor::SeekToLast() {
  damaged_ = false;
  valid_ = false;
  if (block_.begin() == block_.end()) return;
  GoToRestart(block_.restart_count() - 1);
  if (!damaged_) StepUntil(block_.end());
}

// Steps to the entry that ends at `entry`.
void BlockCursor::StepUntil(const char* entry) {
  do {
    Step(nullptr);
  } while (valid_ && next_ < entry);
  if (valid_ && next_ != entry) Fail();
}

void BlockCursor::Prev() {
  assert(valid_);
  const char* const here = entry_;
  if (here == block_.begin()) {
    valid_ = false;
    return;
  }
  GoToRestart(LastRestartBefore(here));
  if (damaged_) return;
  if (next_ >= here) return Fail();
  StepUntil(here);
}

// Returns the last restart before that entry; 0 if there is none.
std::uint32_t BlockCursor::LastRestartBefore(const char* entry) const noexcept {
  std::uint32_t low = 0;
  std::uint32_t high = block_.restart_count() - 1;
  while (low < high) {
    const std::uint32_t middle = high - (high - low) / 2;
    const char* const restart = block_.Restart(middle);
    if (restart != nullptr && restart < entry) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Returns the last restart whose key comes before `target`; 0 if there is none.
std::uint32_t BlockCursor::LastRestartBefore(const KeyOrder& order,
                                             Slice target) {
  std::uint32_t low = 0;
  std::uint32_t high = block_.restart_count() - 1;
  while (low < high) {
    const std::uint32_t middle = high - (high - low) / 2;
    const Slice key = block_.RestartKey(middle);
    if (key.size() < kTrailerBytes) {
      Fail();
      return 0;
    }
    if (order.Compare(key, target) < 0) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

void BlockCursor::Seek(const KeyOrder& order, Slice target) {
  damaged_ = false;
  valid_ = false;
  if (block_.begin() == block_.end()) return;
  PrefetchRestarts(block_);
  const std::uint32_t restart = LastRestartBefore(order, target);
  if (damaged_) return;
  GoToRestart(restart);
  if (damaged_) return;
  PrefetchScan(next_, block_.end());
  while (true) {
    Step(nullptr);
    if (!valid_) return;
    if (key_.size() < kTrailerBytes) return Fail();
    if (order.Compare(key_, target) >= 0) return;
  }
}

}  // namespace tamis
