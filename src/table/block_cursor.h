// SPDX-License-Identifier: Apache-2.0
// table/block_cursor.h -- iterates over the entries of one block.

#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "table/block.h"
#include "table/internal_key.h"
#include "tamis/slice.h"

namespace tamis {

// Is at an entry or at none.  Every step checks what it reads; an error ends
// the iteration with damaged().  Keys are any bytes, except for Seek().
class BlockCursor {
 public:
  BlockCursor() = default;
  BlockCursor(const BlockCursor&) = delete;
  BlockCursor& operator=(const BlockCursor&) = delete;

  // Moves to no entry of `block`.  With an order, a key that comes before the
  // previous one is damage, too; keys must then be internal keys.  REQUIRES:
  // the block's bytes and the order outlive the iteration
  void Reset(const Block& block, const KeyOrder* order = nullptr) noexcept;
  const Block& block() const noexcept { return block_; }

  bool valid() const noexcept { return valid_; }
  bool damaged() const noexcept { return damaged_; }
  // If damaged(): two keys are out of order.
  bool out_of_order() const noexcept { return out_of_order_; }
  // REQUIRES, for these four: valid().  The slices last until it is moved;
  // the value as long as the block.  A cursor at the end keeps the last key.
  Slice key() const noexcept { return key_; }
  Slice value() const noexcept { return value_; }
  // True: the key is a view of the block itself, and lasts as long.
  bool key_is_whole() const noexcept { return key_.data() != buffer_; }
  const char* entry() const noexcept { return entry_; }

  void SeekToFirst();
  void SeekToLast();
  // Moves to the first entry at or after that internal key.  A key in the block
  // that is too short for an internal key is damage.
  void Seek(const KeyOrder& order, Slice target);
  // A hint: Seek() to the same key follows.  Prefetches what it will read;
  // until then the cursor is at no entry.
  void WillSeek(const KeyOrder& order, Slice target);
  // REQUIRES, for both: valid()
  void Next() {
    assert(valid_);
    if (order_ == nullptr) {
      Step();
    } else {
      StepInOrder();
    }
  }
  void Prev();

 private:
  // Most keys need no more memory than this.
  static constexpr std::size_t kShortKey = 64;
  // Keys are copied in words, and so with up to a word of what follows.  In a
  // block, a restart and the number of restarts follow the last entry.
  static constexpr std::size_t kWord = 8;
  // So many bytes are prefetched before they are read.
  static constexpr std::size_t kAhead = 256;

  void Step();
  void StepInOrder();
  bool TakeKey(const char* suffix, const EntryHead& head);
  bool TakeKeyInOrder(const char* suffix, const EntryHead& head);
  void TakeEntry(const char* suffix, const EntryHead& head) noexcept;
  bool ComesNextByBytes(const char* suffix, const EntryHead& head) const;
  void Grow(std::size_t bytes);
  void GoToRestart(std::uint32_t i);
  void StepUntil(const char* entry);
  bool SeekByBytes(Slice target);
  std::uint32_t LastRestartBefore(const KeyOrder& order, Slice target);
  std::uint32_t LastRestartBefore(const char* entry) const noexcept;
  void Fail() noexcept {
    valid_ = false;
    damaged_ = true;
  }

  Block block_;
  const KeyOrder* order_ = nullptr;  // null: the order is not checked
  const char* entry_ = nullptr;
  const char* next_ = nullptr;
  Slice key_;  // in the block, or in buffer_
  Slice value_;
  char* buffer_ = here_;  // here_ or *longer_
  std::size_t capacity_ = kShortKey;
  bool valid_ = false;
  bool damaged_ = false;
  bool out_of_order_ = false;
  bool is_prepared_ = false;  // by WillSeek(): next_ is where to search
  std::unique_ptr<char[]> longer_;
  std::string previous_;  // the key before, if a comparator is needed
  char here_[kShortKey + kWord];
};

// False: the key before is shorter than the shared prefix.
[[gnu::always_inline]] inline bool BlockCursor::TakeKey(const char* suffix,
                                                        const EntryHead& head) {
  if (head.shared == 0) {
    key_ = {suffix, head.unshared};
    return true;
  }
  if (head.shared > key_.size()) return false;
  const std::size_t size = std::size_t{head.shared} + head.unshared;
  if (size > capacity_) [[unlikely]]
    Grow(size);
  if (key_is_whole()) std::memcpy(buffer_, key_.data(), head.shared);
  char* const to = buffer_ + head.shared;
  if (head.unshared > kShortKey) [[unlikely]] {
    std::memcpy(to, suffix, head.unshared);
  } else {
    for (std::size_t i = 0; i < head.unshared; i += kWord) {
      std::memcpy(to + i, suffix + i, kWord);
    }
  }
  key_ = {buffer_, size};
  return true;
}

// The cursor has the key of the entry at next_.
[[gnu::always_inline]] inline void BlockCursor::TakeEntry(
    const char* suffix, const EntryHead& head) noexcept {
  entry_ = next_;
  value_ = {suffix + head.unshared, head.value_bytes};
  next_ = value_.data() + value_.size();
  valid_ = true;
  __builtin_prefetch(next_ + kAhead);
}

[[gnu::always_inline]] inline void BlockCursor::Step() {
  if (next_ == block_.end()) {
    valid_ = false;
    return;
  }
  EntryHead head;
  const char* const suffix = DecodeEntry(next_, block_.end(), &head);
  if (suffix == nullptr || !TakeKey(suffix, head)) [[unlikely]]
    return Fail();
  TakeEntry(suffix, head);
}

}  // namespace tamis
