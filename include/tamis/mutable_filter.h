// SPDX-License-Identifier: Apache-2.0
// tamis/mutable_filter.h -- filters that change in place: keys are
// inserted, erased or expire, and the filter is saved and loaded in between.
//
//   MutableFilter    inserts keys; every kind of .tamis but ribbon and fuse
//   ErasableFilter   erases single keys: counting, cuckoo
//   RotatingFilter   drops keys by age: rotating
//
// Save() returns the bytes, WriteFilterFile() writes them such that a crash
// leaves the old file or the new one, and the Load functions continue where
// Save() stopped.  FilterPolicy::Open() reads the same bytes.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "tamis/export.h"
#include "tamis/filter.h"

namespace tamis {

// A filter from which keys can be erased.  A key may be inserted several times,
// and must then be erased as often.  Some kinds limit the number of insertions:
// see Insert().
class TAMIS_EXPORT ErasableFilter : public MutableFilter {
 public:
  // Undoes one insertion of `key`.  REQUIRES: it was inserted and not yet
  // erased.  Erasing an absent key may hide a key that is present: the filter
  // cannot always tell, because absent keys are sometimes "maybe".  NotFound:
  // the key is certainly absent; the filter is exactly as before.
  virtual Status Erase(Slice key) = 0;

  // Returns how many insertions of `key` are in the filter: at least those that
  // were not undone, and more if other keys look like it.  The kind counting
  // tells only whether there is any: it returns 0 or 1.
  virtual std::uint64_t Count(Slice key) const noexcept {
    return MayContain(key) ? 1 : 0;
  }
};

// Keys expire by generations: insertions go to the newest, and Rotate() starts
// a new one and drops the oldest with all its keys.
class TAMIS_EXPORT RotatingFilter : public MutableFilter {
 public:
  // An inserted key is "maybe" for at least generations() - 1 calls of
  // Rotate(), and absent, except for false positives, after generations() of
  // them.
  virtual Status Rotate() = 0;
  virtual unsigned generations() const noexcept = 0;
  virtual std::uint64_t rotations() const noexcept = 0;  // so far

  // Returns how many keys are counted in the generation of that age: 0 is the
  // newest; 0 keys if there is none so old.
  virtual std::uint64_t generation_keys(unsigned age) const noexcept = 0;
  // Is the key, maybe, in the newest generation?  If so, inserting it changes
  // nothing.
  virtual bool NewestMayContain(Slice key) const noexcept = 0;
};

// Return empty filters.  `spec` is as for MakePolicy(): "cuckoo:fpr=0.01",
// "counting:fpr=0.01", "rotating:fpr=0.01,generations=8".
// NotSupported: this kind cannot do that.
TAMIS_EXPORT Result<std::unique_ptr<ErasableFilter>> NewErasable(
    std::string_view spec, std::uint64_t planned_keys);
TAMIS_EXPORT Result<std::unique_ptr<RotatingFilter>> NewRotating(
    std::string_view spec, std::uint64_t planned_keys);

// Load filters as they were saved; `bytes` is copied.  Corruption: damaged.
// NotSupported: the kind, version or format cannot do that; bytes that are not
// understood are never loaded.
TAMIS_EXPORT Result<std::unique_ptr<MutableFilter>> LoadMutable(Slice bytes);
TAMIS_EXPORT Result<std::unique_ptr<ErasableFilter>> LoadErasable(Slice bytes);
TAMIS_EXPORT Result<std::unique_ptr<RotatingFilter>> LoadRotating(Slice bytes);

// Returns a filter that checks erasures, for tests and for debugging a program
// that erases absent keys: it keeps the 64-bit hash of every key (about 20
// bytes each), and Erase() of a key that is absent always returns NotFound.
// `filter` must be empty.
TAMIS_EXPORT std::unique_ptr<ErasableFilter> CheckErasures(
    std::unique_ptr<ErasableFilter> filter);

}  // namespace tamis
