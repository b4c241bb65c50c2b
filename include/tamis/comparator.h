// SPDX-License-Identifier: Apache-2.0
// tamis/comparator.h -- the order of a store's keys.

#pragma once

#include <string>
#include <string_view>

#include "tamis/export.h"
#include "tamis/slice.h"

namespace tamis {

// A total order of keys.  Its name is stored, and a store opens only with the
// comparator of that name.  Must be safe to share among threads.
//
// To open a LevelDB store with a custom comparator, return the same name as the
// comparator that LevelDB used.
class TAMIS_EXPORT Comparator {
 public:
  virtual ~Comparator() = default;

  // Changes when the order does.
  virtual std::string_view name() const noexcept = 0;

  // Returns a negative number, zero or a positive number if `a` comes before,
  // is equal to or comes after `b`.
  virtual int Compare(Slice a, Slice b) const noexcept = 0;

  // True: keys that compare equal have equal bytes.  Filters compare bytes, so
  // where this is false (for example because case is ignored) a store does not
  // use them: they would hide keys.
  virtual bool EqualMeansIdentical() const noexcept { return false; }

  // May replace *start by a shorter key in [*start, limit), which makes indexes
  // smaller.  REQUIRES: *start comes before limit
  virtual void ShortenBetween(std::string* /*start*/, Slice /*limit*/) const {}
  // May replace *key by a shorter key that is not less than it.
  virtual void ShortenAfter(std::string* /*key*/) const {}
};

// Orders keys as memcmp() does, by unsigned bytes; a prefix comes first.  This
// is LevelDB's default, and has its name: "leveldb.BytewiseComparator".
TAMIS_EXPORT const Comparator& BytewiseComparator() noexcept;

}  // namespace tamis
