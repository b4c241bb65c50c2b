// SPDX-License-Identifier: Apache-2.0
// store/range_scan.h -- how an iterator asks the range filters of tables, and
// counts what they answer.

#pragma once

#include <optional>
#include <string>

#include "store/reader_slots.h"
#include "store/scan_bounds.h"
#include "store/table_file.h"
#include "store/version.h"
#include "tamis/store_options.h"

namespace tamis {

// A small value.  REQUIRES: what it is made of outlives it
class RangeScan {
 public:
  // What is known of the keys of a table from a key on, in one direction.
  enum class Answer {
    kUnknown,  // there is no filter, or its answer is not to be used
    kNone,     // there is none that the scan wants
    kHere,     // the key itself may be there
    kFrom,     // there is none before *to, which is another key
  };

  // REQUIRES: keys are in bytewise order; use != kOff; `limits` lasts as long
  // as this, or until SetBounds()
  RangeScan(ReaderSlots& slots, FilterUse use,
            const ScanLimits& limits) noexcept
      : slots_(&slots),
        obeys_(use == FilterUse::kOn),
        lower_(limits.lower()),
        upper_(limits.upper()) {}

  // The bounds are the same, and last longer.
  void SetBounds(const ScanBounds& bounds) noexcept {
    if (lower_) lower_ = *bounds.lower;
    if (upper_) upper_ = *bounds.upper;
  }

  // The iterator has one source alone, which need not say where it continues,
  // only whether it has a key within the bounds.
  void SetAlone() noexcept { is_alone_ = true; }
  // False: no seek will be asked about.
  bool AsksSeeks() const noexcept {
    // What has both bounds was asked when the iterator was made.
    return !is_alone_ || (lower() == nullptr) != (upper() == nullptr);
  }

  // False: of tables of that level, seeks have mostly been asked in vain.
  bool PaysAt(int level) const;

  // True: there are both bounds, and the table has no key between them.
  bool RulesOut(int level, const TableFile& file) const;
  // The same for a level from 1 on.
  bool RulesOutLevel(int number, const Level& level) const;

  // As FilterReader::SkipForward() and SkipBackward(), for the keys within the
  // bounds.
  Answer SkipForward(int level, const TableFile& file, Slice from,
                     std::string* to) const;
  Answer SkipBackward(int level, const TableFile& file, Slice from,
                      std::string* to) const;

  // Null: there is no such bound.
  const Slice* lower() const noexcept { return lower_ ? &*lower_ : nullptr; }
  const Slice* upper() const noexcept { return upper_ ? &*upper_ : nullptr; }

  // A table is left unread until the scan comes to a place; it came there.
  // `was_asked`: its filter had named the place.
  void CountPostponed(int level) const;
  void CountReached(int level, bool was_asked) const;

 private:
  // Returns false only if the table certainly has no key from lo to hi.
  bool MayContain(int level, const TableFile& file, Slice lo, Slice hi) const;
  // `must_pay`: nothing is asked where that has not paid lately.
  template <typename Ask>
  Answer AskFilter(int level, const TableFile& file, bool must_pay,
                   const Ask& ask) const;

  ReaderSlots* slots_;
  bool obeys_;  // false: answers are counted only
  std::optional<Slice> lower_;
  std::optional<Slice> upper_;
  bool is_alone_ = false;
};

}  // namespace tamis
