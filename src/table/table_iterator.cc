#include "table/table_iterator.h"

namespace tamis {

void TableIterator::Fail(const Status& why) {
  status_ = AboutFile(parts_.name, why);
  block_ = kNoBlock;
  StandNowhere();
}

Status TableIterator::CannotBeRead() const {
  return Status::IoError(parts_.name + ": a page of it cannot be read");
}

bool TableIterator::FailIfSpoiled() {
  if (!IsSpoiled()) [[likely]]
    return false;
  is_spoiled_ = true;
  Fail(CannotBeRead());
  return true;
}

// False: it cannot be read; the iterator then stands at none, for that reason.
bool TableIterator::Enter(std::size_t block) {
  if (block == block_) return true;
  Block contents;
  Status read = parts_.blocks.Read(block, options_, &buffer_, &contents);
  if (!read.ok()) {
    Fail(read);
    return false;
  }
  block_ = block;
  cursor_.Reset(contents);
  return true;
}

// False: the cursor has come to an end.
bool TableIterator::StandAtCursor() {
  if (FailIfSpoiled()) [[unlikely]]
    return true;
  if (cursor_.valid()) [[likely]] {
    if (IsInternalKey(cursor_.key())) [[likely]] {
      StandAt(cursor_.key(), cursor_.value());
      return true;
    }
  } else if (!cursor_.damaged()) {
    return false;
  }
  const std::uint64_t offset = parts_.index.block(block_).offset;
  Fail(Status::Corruption("the block at offset " + std::to_string(offset) +
                          " has an entry that is damaged"));
  return true;
}

// To the first entry of that block or of one after it.
void TableIterator::GoOnFrom(std::size_t block) {
  for (; block < parts_.index.size(); ++block) {
    if (!Enter(block)) return;
    cursor_.SeekToFirst();
    if (StandAtCursor()) return;
  }
  StandNowhere();
}

// To the last entry of the blocks before that one.
void TableIterator::GoBackFrom(std::size_t block) {
  while (block > 0) {
    if (!Enter(--block)) return;
    cursor_.SeekToLast();
    if (StandAtCursor()) return;
  }
  StandNowhere();
}

void TableIterator::SeekToFirst() {
  if (FailIfSpoiled()) return;
  status_ = Status::Ok();
  GoOnFrom(0);
}

void TableIterator::SeekToLast() {
  if (FailIfSpoiled()) return;
  status_ = Status::Ok();
  GoBackFrom(parts_.index.size());
}

void TableIterator::WillSeek(Slice internal_key) {
  expected_ = parts_.index.Find(internal_key);
  if (expected_ < parts_.index.size()) parts_.blocks.Prefetch(expected_);
}

void TableIterator::Seek(Slice internal_key) {
  if (FailIfSpoiled()) return;
  status_ = Status::Ok();
  const std::size_t block =
      expected_ != kNoBlock ? expected_ : parts_.index.Find(internal_key);
  expected_ = kNoBlock;
  if (block == parts_.index.size()) return StandNowhere();
  if (!Enter(block)) return;
  cursor_.Seek(parts_.order, internal_key);
  if (!StandAtCursor()) GoOnFrom(block + 1);
}

void TableIterator::Next() {
  assert(Valid());
  cursor_.Next();
  if (!StandAtCursor()) GoOnFrom(block_ + 1);
}

void TableIterator::Prev() {
  assert(Valid());
  cursor_.Prev();
  if (!StandAtCursor()) GoBackFrom(block_);
}

}  // namespace tamis
