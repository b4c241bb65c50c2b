// SPDX-License-Identifier: Apache-2.0
#include "store/range_scan.h"

#include <cstddef>

namespace tamis {

namespace {

ReadCounters::Ranges& CountersOf(const ReaderSlots::Guard& guard, int level) {
  return guard.counters().levels[static_cast<std::size_t>(level)].ranges;
}

}  // namespace

template <typename Ask>
RangeScan::Answer RangeScan::AskFilter(int level, const TableFile& file,
                                       bool must_pay, const Ask& ask) const {
  const ReaderSlots::Guard guard(*slots_);
  ReadCounters::Ranges& counters = CountersOf(guard, level);
  if (must_pay && !counters.recent.Pays()) return Answer::kUnknown;
  const HeldRangeFilter* const filter = file.RangeFilter();
  if (filter == nullptr) return Answer::kUnknown;
  const Answer answer = ask(filter->reader());
  counters.asked.Add(1);
  if (answer == Answer::kNone) counters.absent.Add(1);
  if (must_pay) counters.recent.AddAsked();
  if (answer == Answer::kHere) counters.recent.AddInVain();
  return obeys_ ? answer : Answer::kUnknown;
}

bool RangeScan::MayContain(int level, const TableFile& file, Slice lo,
                           Slice hi) const {
  // The table's first and last key are known.
  const auto is_within = [&](Slice internal_key) {
    const Slice key = UserKeyOf(internal_key);
    return lo <= key && key <= hi;
  };
  if (is_within(file.smallest()) || is_within(file.largest())) return true;
  const Answer answer = AskFilter(
      level, file, /*must_pay=*/false, [&](const FilterReader& filter) {
        return filter.MayContainRange(lo, hi) ? Answer::kUnknown
                                              : Answer::kNone;
      });
  return answer != Answer::kNone;
}

bool RangeScan::RulesOut(int level, const TableFile& file) const {
  return lower() != nullptr && upper() != nullptr &&
         !MayContain(level, file, *lower(), *upper());
}

bool RangeScan::RulesOutLevel(int number, const Level& level) const {
  if (lower() == nullptr || upper() == nullptr) return false;
  // A scan over more tables is a long one, which finds something.
  constexpr std::size_t kMaxAsked = 2;
  std::size_t i = level.FindTable(LookupKey(*lower(), kMaxSequence).internal());
  for (std::size_t asked = 0; i < level.size(); ++i, ++asked) {
    const TableFile& file = *level.files()[i];
    if (UserKeyOf(file.smallest()) >= *upper()) return true;
    if (asked == kMaxAsked || !RulesOut(number, file)) return false;
  }
  return true;
}

RangeScan::Answer RangeScan::SkipForward(int level, const TableFile& file,
                                         Slice from, std::string* to) const {
  if (is_alone_) {
    if (upper() == nullptr) return Answer::kUnknown;
    return MayContain(level, file, from, *upper()) ? Answer::kUnknown
                                                   : Answer::kNone;
  }
  return AskFilter(
      level, file, /*must_pay=*/true, [&](const FilterReader& filter) {
        if (!filter.SkipForward(from, to)) return Answer::kNone;
        if (*to == from) return Answer::kHere;
        return upper() != nullptr && *to >= *upper() ? Answer::kNone
                                                     : Answer::kFrom;
      });
}

RangeScan::Answer RangeScan::SkipBackward(int level, const TableFile& file,
                                          Slice from, std::string* to) const {
  if (is_alone_) {
    if (lower() == nullptr) return Answer::kUnknown;
    return MayContain(level, file, *lower(), from) ? Answer::kUnknown
                                                   : Answer::kNone;
  }
  return AskFilter(
      level, file, /*must_pay=*/true, [&](const FilterReader& filter) {
        if (!filter.SkipBackward(from, to)) return Answer::kNone;
        if (*to == from) return Answer::kHere;
        return lower() != nullptr && *to < *lower() ? Answer::kNone
                                                    : Answer::kFrom;
      });
}

bool RangeScan::PaysAt(int level) const {
  if (is_alone_) return true;
  const ReaderSlots::Guard guard(*slots_);
  return CountersOf(guard, level).recent.Pays();
}

void RangeScan::CountPostponed(int level) const {
  const ReaderSlots::Guard guard(*slots_);
  ReadCounters::Ranges& counters = CountersOf(guard, level);
  counters.postponed.Add(1);
}

void RangeScan::CountReached(int level, bool was_asked) const {
  const ReaderSlots::Guard guard(*slots_);
  ReadCounters::Ranges& counters = CountersOf(guard, level);
  counters.reached.Add(1);
  if (was_asked) counters.recent.AddInVain();
}

}  // namespace tamis
