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
// One that LevelDB knows under a name can be had here by that same name.
class TAMIS_EXPORT Comparator {
 public:
  virtual ~Comparator() = default;

  // Changes when the order does.
  virtual std::string_view name() const noexcept = 0;

  // Below, equal to or above zero as a comes before, with or after b.
  virtual int Compare(Slice a, Slice b) const noexcept = 0;

  // True: keys that compare equal have equal bytes.  Filters know bytes only,
  // so where this is false (case is ignored, say) a store asks none of them:
  // they would hide keys.
  virtual bool EqualMeansIdentical() const noexcept { return false; }

  // May make *start shorter, so that still start <= *start < limit.  Indexes
  // get smaller by it.  REQUIRES: *start comes before limit
  virtual void ShortenBetween(std::string* /*start*/, Slice /*limit*/) const {}
  // May make *key shorter, so that still key <= *key.
  virtual void ShortenAfter(std::string* /*key*/) const {}
};

// By unsigned bytes, as memcmp() orders; a prefix comes first.  LevelDB's own
// default: it is called "leveldb.BytewiseComparator".
TAMIS_EXPORT const Comparator& BytewiseComparator() noexcept;

}  // namespace tamis
