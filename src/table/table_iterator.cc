// SPDX-License-Identifier: Apache-2.0
#include "table/table_iterator.h"

#include <algorithm>

namespace tamis {

TableIterator::TableIterator(const TableParts& parts,
                             const BlockReadOptions& options)
    : parts_(parts),
      options_(options),
      end_block_(parts.index.size()),
      ahead_(options.reads_once) {
  if (options.span == nullptr) return;
  const KeySpan& span = *options.span;
  if (!span.from.empty()) first_block_ = parts.index.Find(span.from);
  if (!span.end.empty()) {
    end_block_ = std::min(end_block_, parts.index.Find(span.end) + 1);
  }
}

void TableIterator::Fail(const Status& why) {
  status_ = AboutFile(parts_.name, why);
  block_ = kNoBlock;
  StandNowhere();
}

Status TableIterator::CannotBeRead() const {
  return Status::IoError(parts_.name + ": a page of it cannot be read");
}

[[gnu::always_inline]] inline bool TableIterator::FailIfSpoiled() {
  if (!IsSpoiled()) [[likely]]
    return false;
  is_spoiled_ = true;
  Fail(CannotBeRead());
  return true;
}

void TableIterator::FailAtBlock(std::string_view what) {
  const std::uint64_t offset = parts_.index.block(block_).offset;
  Fail(Status::Corruption(std::string("the block at offset ")
                              .append(std::to_string(offset))
                              .append(" ")
                              .append(what)));
}

// Enters a block that is a view of the mapping and was checked before.  False:
// it is another, and nothing has changed.
bool TableIterator::EnterKnown(std::size_t block) {
  if (options_.verify_checksums) return false;
  Block contents;
  if (!parts_.blocks.FindKnown(block, &contents)) return false;
  parts_.blocks.VisitInOrder(block, &ahead_);
  buffer_.is_mapped = true;
  block_ = block;
  checks_order_ = false;
  cursor_.Reset(contents);
  return true;
}

// False: the block cannot be read or is not in order; the iterator is then at
// no entry, and status() says why.  A block that is only read forward is
// checked along the way; one that is searched, or read backward, is checked
// first.
bool TableIterator::Enter(std::size_t block, bool to_search) {
  if (block == block_) return !to_search || CheckOrder();
  if (EnterKnown(block)) return true;
  block_ = kNoBlock;  // the buffer is about to be overwritten
  parts_.blocks.VisitInOrder(block, &ahead_);
  BlockReadOptions options = options_;
  options.check_order = to_search && options_.check_order;
  Block contents;
  Status read = parts_.blocks.Read(block, options, &buffer_, &contents);
  if (!read.ok()) {
    Fail(read);
    return false;
  }
  block_ = block;
  checks_order_ = options_.check_order;
  cursor_.Reset(contents, checks_order_ ? &parts_.order : nullptr);
  return true;
}

// As Enter(), for the block that the cursor is in.
bool TableIterator::CheckOrder() {
  if (!checks_order_) return true;
  Status checked = parts_.blocks.CheckOrder(block_, cursor_.block());
  if (FailIfSpoiled()) return false;
  if (!checked.ok()) Fail(checked);
  return checked.ok();
}

// False: the cursor is at an end.
[[gnu::always_inline]] inline bool TableIterator::StandAtCursor() {
  if (FailIfSpoiled()) [[unlikely]]
    return true;
  if (cursor_.valid()) [[likely]] {
    if (IsInternalKey(cursor_.key())) [[likely]] {
      StandAt(cursor_.key(), cursor_.value());
      return true;
    }
    FailAtBlock("has an entry that is damaged");
    return true;
  }
  if (!cursor_.damaged()) return false;
  FailAtBlock(DamageOf(cursor_));
  return true;
}

// The cursor has passed the end of its block.  False: the last key was not
// where lookups look for it; the iterator is then at no entry.
bool TableIterator::LeaveForward() {
  if (!checks_order_ || cursor_.key().empty() ||
      parts_.index.MayEndWith(block_, cursor_.key())) {
    return true;
  }
  FailAtBlock(kWrongPlace);
  return false;
}

// Moves to the first entry of that block or of a later one.
void TableIterator::GoOnFrom(std::size_t block) {
  for (; block < end_block_; ++block) {
    if (!Enter(block, /*to_search=*/false)) return;
    cursor_.SeekToFirst();
    if (!StandAtCursor()) continue;
    if (Valid() && checks_order_ && !parts_.index.MayBeginWith(block, key())) {
      FailAtBlock(kWrongPlace);
    }
    return;
  }
  StandNowhere();
}

// Moves to the last entry of the blocks before that one.
void TableIterator::GoBackFrom(std::size_t block) {
  while (block > first_block_) {
    if (!Enter(--block, /*to_search=*/true)) return;
    cursor_.SeekToLast();
    if (StandAtCursor()) return;
  }
  StandNowhere();
}

void TableIterator::SeekToFirst() {
  if (FailIfSpoiled()) return;
  status_ = Status::Ok();
  GoOnFrom(first_block_);
}

void TableIterator::SeekToLast() {
  if (FailIfSpoiled()) return;
  status_ = Status::Ok();
  GoBackFrom(end_block_);
}

// Returns the block that may have the first entry at or after that internal key
// of those of the span; kNoBlock: there is none.
std::size_t TableIterator::FindBlock(Slice internal_key) const noexcept {
  const std::size_t found =
      std::max(parts_.index.Find(internal_key), first_block_);
  return found < end_block_ ? found : kNoBlock;
}

// Each step reads what the step before has prefetched.
bool TableIterator::WillSeek(Slice internal_key) {
  switch (steps_++) {
    case 0:
      expected_ = FindBlock(internal_key);
      if (expected_ == kNoBlock) return false;
      parts_.index.PrefetchBlock(expected_);
      return true;
    case 1:
      if (expected_ == kNoBlock) return false;
      parts_.blocks.WillRead(expected_);
      return !options_.verify_checksums;
    case 2:
      if (expected_ == kNoBlock) return false;
      if (block_ != expected_ && !EnterKnown(expected_)) return false;
      PrefetchRestarts(cursor_.block());
      return true;
    case 3:
      if (expected_ != kNoBlock && block_ == expected_ && !checks_order_) {
        cursor_.WillSeek(parts_.order, internal_key);
      }
      return false;
    default:
      return false;
  }
}

void TableIterator::Seek(Slice internal_key) {
  if (FailIfSpoiled()) return;
  status_ = Status::Ok();
  const std::size_t block = steps_ > 0 ? expected_ : FindBlock(internal_key);
  steps_ = 0;
  if (block == kNoBlock) return StandNowhere();
  if (!Enter(block, /*to_search=*/true)) return;
  cursor_.Seek(parts_.order, internal_key);
  if (!StandAtCursor()) GoOnFrom(block + 1);
}

void TableIterator::Next() {
  assert(Valid());
  cursor_.Next();
  if (!StandAtCursor() && LeaveForward()) GoOnFrom(block_ + 1);
}

void TableIterator::Prev() {
  assert(Valid());
  if (!CheckOrder()) return;
  cursor_.Prev();
  if (!StandAtCursor()) GoBackFrom(block_);
}

}  // namespace tamis
