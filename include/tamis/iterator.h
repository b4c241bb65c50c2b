// SPDX-License-Identifier: Apache-2.0
// tamis/iterator.h -- iterates over the entries of a store in order.

#pragma once

#include "tamis/export.h"
#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// An iterator is at an entry, or at none (Valid() is false), as a new one is.
// It sees the store as it was when the iterator was made, whatever is written
// meanwhile.  Not thread-safe; several iterators may be used at once.
class TAMIS_EXPORT Iterator {
 public:
  virtual ~Iterator() = default;

  // Returns true if the iterator is at an entry.
  virtual bool Valid() const noexcept = 0;

  // Move to the first or the last entry; to none if the store is empty.
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  // Moves to the first entry at or after `key`.
  virtual void Seek(Slice key) = 0;
  // Moves to the last entry at or before `key`.
  virtual void SeekForPrev(Slice key) = 0;

  // These four require Valid().  The slices last until the next call that moves
  // the iterator.
  virtual void Next() = 0;
  virtual void Prev() = 0;
  virtual Slice key() const noexcept = 0;
  virtual Slice value() const noexcept = 0;

  // Not ok: a file could not be read; the iterator is then at no entry.
  // ResourceExhausted may also mean that a step ran out of memory: the iterator
  // then stays at no entry; make a new one.  Check the status whenever Valid()
  // becomes false: only ok means that there are no more entries.  With
  // StoreOptions::guard_mappings it may also fail while the iterator is at an
  // entry: a page of the entry was lost after the iterator moved there, and the
  // key or value may read as zeros.  To be sure, check after using them and
  // before the next Seek; the next move detects it in any case, and the
  // iterator then fails for good.  If a table is truncated within a page,
  // nothing reports it, and the rest of that page may read as zeros;
  // ReadOptions::verify_checksums rules that out.
  virtual Status status() const = 0;
};

}  // namespace tamis
