// SPDX-License-Identifier: Apache-2.0
// table/internal_iterator.h -- iterates over entries with internal keys: of a
// block, a table, a level, a memtable, or of several of them merged.

#pragma once

#include <memory>
#include <utility>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// As tamis::Iterator, but for internal keys.  The position is kept in the base
// class: reading it costs no virtual call, moving costs one.
class InternalIterator {
 public:
  InternalIterator() = default;
  InternalIterator(const InternalIterator&) = delete;
  InternalIterator& operator=(const InternalIterator&) = delete;
  virtual ~InternalIterator() = default;

  bool Valid() const noexcept { return valid_; }
  // REQUIRES, for both: Valid().  They last until it is moved.
  Slice key() const noexcept { return key_; }
  Slice value() const noexcept { return value_; }

  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  // Moves to the first entry at or after that internal key.
  virtual void Seek(Slice internal_key) = 0;
  // A hint: Seek() to the same key follows, after other work.  Prefetches what
  // it will read; afterwards the position is undefined.  True: what is to be
  // prefetched next depends on that, so another call is of use.
  virtual bool WillSeek(Slice /*internal_key*/) { return false; }
  // REQUIRES, for both: Valid()
  virtual void Next() = 0;
  virtual void Prev() = 0;

  // Not ok: an entry could not be read.  The iterator is then at no entry.
  virtual Status status() const = 0;

 protected:
  void StandAt(Slice key, Slice value) noexcept {
    key_ = key;
    value_ = value;
    valid_ = true;
  }
  void StandNowhere() noexcept { valid_ = false; }

 private:
  Slice key_;
  Slice value_;
  bool valid_ = false;
};

// An iterator without entries, because of `status` or because there are none.
class EmptyIterator final : public InternalIterator {
 public:
  explicit EmptyIterator(Status status = Status::Ok())
      : status_(std::move(status)) {}
  void SeekToFirst() override {}
  void SeekToLast() override {}
  void Seek(Slice /*internal_key*/) override {}
  void Next() override {}
  void Prev() override {}
  Status status() const override { return status_; }

 private:
  Status status_;
};

}  // namespace tamis
