// SPDX-License-Identifier: Apache-2.0
#include "table/block_cursor.h"

#include <algorithm>

#include "table/entry_search.h"

namespace tamis {

void BlockCursor::Reset(const Block& block, const KeyOrder* order) noexcept {
  block_ = block;
  order_ = order;
  key_ = {};
  out_of_order_ = false;
  valid_ = false;
  damaged_ = false;
  is_prepared_ = false;
}

// Keeps the key, if it is in the buffer.
void BlockCursor::Grow(std::size_t bytes) {
  // No more than twice the block: a key consists of bytes in it.
  const std::size_t capacity = std::max<std::size_t>(2 * capacity_, bytes + 64);
  auto longer = std::make_unique_for_overwrite<char[]>(capacity + kWord);
  if (!key_is_whole()) {
    std::memcpy(longer.get(), key_.data(), key_.size());
    key_ = {longer.get(), key_.size()};
  }
  longer_ = std::move(longer);
  buffer_ = longer_.get();
  capacity_ = capacity;
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

// Steps only to a key that is in order.
void BlockCursor::StepInOrder() {
  if (next_ == block_.end()) {
    valid_ = false;
    return;
  }
  EntryHead head;
  const char* const suffix = DecodeEntry(next_, block_.end(), &head);
  if (suffix == nullptr) return Fail();
  const bool taken =
      key_.empty() ? TakeKey(suffix, head) : TakeKeyInOrder(suffix, head);
  if (!taken) return Fail();
  TakeEntry(suffix, head);
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
  Step();
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
    Step();
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

void BlockCursor::WillSeek(const KeyOrder& order, Slice target) {
  damaged_ = false;
  valid_ = false;
  is_prepared_ = true;
  next_ = block_.end();
  if (block_.begin() == block_.end()) return;
  const std::uint32_t restart = LastRestartBefore(order, target);
  if (damaged_) return;
  GoToRestart(restart);
  if (!damaged_) PrefetchScan(next_, block_.end());
}

void BlockCursor::Seek(const KeyOrder& order, Slice target) {
  if (!is_prepared_) {
    PrefetchRestarts(block_);
    WillSeek(order, target);
  }
  is_prepared_ = false;
  if (damaged_) return;
  if (order.is_bytewise() && SeekByBytes(target)) return;
  while (true) {
    Step();
    if (!valid_) return;
    if (key_.size() < kTrailerBytes) return Fail();
    if (order.Compare(key_, target) >= 0) return;
  }
}

// Searches from the restart at next_ on.  False: keys must be assembled to be
// compared, and nothing has changed.
bool BlockCursor::SeekByBytes(Slice target) {
  EntrySearch search(target);
  for (const char* p = next_; p != block_.end();) {
    EntryHead head;
    const char* const suffix = DecodeEntry(p, block_.end(), &head);
    if (suffix == nullptr) {
      Fail();
      return true;
    }
    const EntryPlace place = search.Judge(suffix, head);
    if (place == EntryPlace::kUnclear) return false;
    if (place != EntryPlace::kBefore) {
      key_ = target.substr(0, head.shared);  // what its key starts with
      next_ = p;
      if (TakeKey(suffix, head)) {
        TakeEntry(suffix, head);
      } else {
        Fail();
      }
      return true;
    }
    p = suffix + head.unshared + head.value_bytes;
  }
  next_ = block_.end();
  return true;  // at the end
}

}  // namespace tamis
