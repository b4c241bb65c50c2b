// SPDX-License-Identifier: Apache-2.0
// tamis/mutable_filter.h -- filters that change in place: keys are
// inserted, erased or expire, and the filter is saved and loaded in between.
//
//   MutableFilter    grows; every kind of .tamis but ribbon and fuse
//   ErasableFilter   forgets a key that is named: counting, cuckoo
//   RotatingFilter   forgets keys by age
//
// Save() gives the bytes, WriteFilterFile() puts them into a file such that
// a crash leaves the old one or the new one, and the Load functions go on
// where Save() stopped.  The same bytes are a filter for FilterPolicy::Open().

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "tamis/export.h"
#include "tamis/filter.h"

namespace tamis {

// Shrinks, too.  A key may be inserted several times; it then takes as many
// erasures until it is gone.  Kinds have limits to that: see Insert().
class TAMIS_EXPORT ErasableFilter : public MutableFilter {
 public:
  // Takes one insertion of `key` back.  REQUIRES: it was inserted and not yet
  // erased.  Erasing an absent key may hide a key that is in: no filter can
  // always tell, for absent keys are sometimes "maybe".
  // NotFound: certainly an absent key; the filter is exactly as before.
  virtual Status Erase(Slice key) = 0;
};

// Keys expire by generations: the newest takes all insertions, and Rotate()
// begins a new one and drops the oldest, with all that was inserted then.
class TAMIS_EXPORT RotatingFilter : public MutableFilter {
 public:
  // A key that was inserted is "maybe" for at least generations() - 1 calls
  // of Rotate() and, but for the rate of false positives, gone after
  // generations() of them.
  virtual Status Rotate() = 0;
  virtual unsigned generations() const noexcept = 0;
  virtual std::uint64_t rotations() const noexcept = 0;  // so far
};

// Empty filters.  `spec` as for MakePolicy(): "cuckoo:fpr=0.01",
// "counting:fpr=0.01", "rotating:fpr=0.01,generations=8".
// NotSupported: filters of this kind cannot do that.
TAMIS_EXPORT Result<std::unique_ptr<ErasableFilter>> NewErasable(
    std::string_view spec, std::uint64_t planned_keys);
TAMIS_EXPORT Result<std::unique_ptr<RotatingFilter>> NewRotating(
    std::string_view spec, std::uint64_t planned_keys);

// Filters as they were saved; `bytes` is copied.
// Corruption: damaged.  NotSupported: of a kind, version or format that
// cannot do that; nothing is ever loaded from bytes that are not understood.
TAMIS_EXPORT Result<std::unique_ptr<MutableFilter>> LoadMutable(Slice bytes);
TAMIS_EXPORT Result<std::unique_ptr<ErasableFilter>> LoadErasable(Slice bytes);
TAMIS_EXPORT Result<std::unique_ptr<RotatingFilter>> LoadRotating(Slice bytes);

// The checked mode, for tests and for finding the bug that erases absent keys:
// remembers the 64-bit hash of every key beside the filter (about 20 bytes
// each) and says NotFound to every Erase() of a key that is not in.  `filter`
// must be empty.
TAMIS_EXPORT std::unique_ptr<ErasableFilter> CheckErasures(
    std::unique_ptr<ErasableFilter> filter);

}  // namespace tamis
