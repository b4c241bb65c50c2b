// SPDX-License-Identifier: Apache-2.0
// table/internal_iterator.h -- iterates over entries with internal keys: of a
// block, a table, a level, a memtable, or of several of them merged.

#pragma once

#include <memory>
#include <utility>

#include "table/internal_key.h"
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
  // Moves to the last entry at or before that internal key.
  virtual void SeekForPrev(const KeyOrder& order, Slice internal_key) {
    Seek(internal_key);
    if (!Valid()) {
      if (status().ok()) SeekToLast();
    } else if (order.Compare(key(), internal_key) > 0) {
      Prev();
    }
  }

  // True: after Seek() or SeekForPrev(), key() is no entry yet, but an internal
  // key that no entry left is before, in that direction; there is no value().
  // Settle() must be called before it is moved.
  bool is_postponed() const noexcept { return is_postponed_; }
  // After a seek: goes to the entry that is meant, or to none.  Returns an
  // iterator that is there; until the next seek of this one it may be moved in
  // its place, which saves calls.
  virtual InternalIterator* Settle() { return this; }

  // REQUIRES, for both: Valid(), and not postponed
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
  void StandNowhere() noexcept {
    valid_ = false;
    is_postponed_ = false;
  }
  void StandPostponed(Slice bound) noexcept {
    StandAt(bound, {});
    is_postponed_ = true;
  }
  void EndPostponing() noexcept { is_postponed_ = false; }

 private:
  Slice key_;
  Slice value_;
  bool valid_ = false;
  bool is_postponed_ = false;
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
