// SPDX-License-Identifier: Apache-2.0
// table/block_cursor.h -- iterates over the entries of one block.

#pragma once

#include <cstddef>
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
  bool key_is_whole() const noexcept { return key_.data() != buffer_.get(); }
  const char* entry() const noexcept { return entry_; }

  void SeekToFirst();
  void SeekToLast();
  // Moves to the first entry at or after that internal key.  A key in the block
  // that is too short for an internal key is damage.
  void Seek(const KeyOrder& order, Slice target);
  // REQUIRES, for both: valid()
  void Next() {
    assert(valid_);
    Step(order_);
  }
  void Prev();

 private:
  void Step(const KeyOrder* order);
  bool TakeKey(const char* suffix, const EntryHead& head);
  bool TakeKeyInOrder(const char* suffix, const EntryHead& head);
  bool ComesNextByBytes(const char* suffix, const EntryHead& head) const;
  void Grow(std::size_t bytes);
  void GoToRestart(std::uint32_t i);
  void StepUntil(const char* entry);
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
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  bool valid_ = false;
  bool damaged_ = false;
  bool out_of_order_ = false;
  std::string previous_;  // the key before, if a comparator is needed
};

}  // namespace tamis
