// SPDX-License-Identifier: Apache-2.0
// tamis/iterator.h -- walks over the entries of a store in order.

#pragma once

#include "tamis/export.h"
#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// Stands at an entry or at none (Valid() is false); a new one stands at none.
// Sees the store as it was when the iterator was made, whatever is written
// meanwhile.  Not thread-safe; several may be used at once.
class TAMIS_EXPORT Iterator {
 public:
  virtual ~Iterator() = default;

  // Returns true if the iterator stands at an entry.
  virtual bool Valid() const noexcept = 0;

  // To the first or the last entry; to none if the store is empty.
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  // To the first entry at or after `key`.
  virtual void Seek(Slice key) = 0;
  // To the last entry at or before `key`.
  virtual void SeekForPrev(Slice key) = 0;

  // REQUIRES, for these four: Valid().  The slices last until the next call
  // that moves the iterator.
  virtual void Next() = 0;
  virtual void Prev() = 0;
  virtual Slice key() const noexcept = 0;
  virtual Slice value() const noexcept = 0;

  // Not ok: a file could not be read; the iterator then stands at none.
  // ResourceExhausted may also mean that a step found no memory: then make a
  // new iterator, this one stands at none for good.  To be
  // asked wherever Valid() turns false: only ok means that there is no more.
  // With StoreOptions::guard_mappings also where it still stands at an entry:
  // a page of that was lost after the iterator came there, and the key or value
  // may read as zeros.  Who must know asks after using them, before the next
  // Seek; the next move finds out by itself, and the iterator fails for good.
  // Of a table that is cut within a page nothing tells, and what lies behind
  // the cut in that page may read as zeros; ReadOptions::verify_checksums rules
  // that out.
  virtual Status status() const = 0;
};

}  // namespace tamis
