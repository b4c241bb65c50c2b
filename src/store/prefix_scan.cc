// SPDX-License-Identifier: Apache-2.0
#include "store/prefix_scan.h"

namespace tamis {

PrefixScan::PrefixScan(const Version& version, const ScanLimits& limits,
                       Slice prefix, const TableReading& reading,
                       ReadCounters* counters)
    : version_(version),
      limits_(limits),
      prefix_(prefix),
      from_(*limits.lower(), kMaxSequence),
      reading_(reading),
      counters_(*counters) {
  const Level& newest = version.level(0);
  const std::vector<int>& filled = version.filled_levels();
  if (!newest.empty()) {
    hash_seed_ = newest.files().front()->seeds().own;
  } else if (!filled.empty()) {
    hash_seed_ = version.level(filled.front()).files().front()->seeds().own;
  }
  hash_ = LineHash(prefix, hash_seed_);
  counters_.prefix_scans.Add(1);
}

std::vector<ScanPlace> PrefixScan::Run() {
  std::vector<ScanPlace> places;
  while (Gather()) {
    CheckLines();
    for (std::size_t i = 0; i < size_; ++i) {
      if (IsRuledOut(i)) continue;
      places.push_back({candidates_[i].level, candidates_[i].at});
    }
  }
  return places;
}

bool PrefixScan::Gather() noexcept {
  size_ = 0;
  GatherLevel0();
  GatherBelow();
  return size_ > 0;
}

void PrefixScan::GatherLevel0() noexcept {
  const Level& level = version_.level(0);
  for (; next_level0_ < level.size() && size_ < kGroup; ++next_level0_) {
    const TableFile& file = *level.files()[next_level0_];
    if (UserKeyOf(file.largest()) < *limits_.lower()) continue;
    Push(0, next_level0_);
  }
}

// Of several tables of a level that have keys within the limits, the first ends
// there: so the level must be read, or only its one table be asked.
void PrefixScan::GatherBelow() noexcept {
  const std::vector<int>& filled = version_.filled_levels();
  while (next_filled_ < filled.size() && size_ < kGroup) {
    const int number = filled[next_filled_++];
    const Level& level = version_.level(number);
    const std::size_t at = level.FindTable(from_.internal());
    if (at < level.size()) Push(number, at);
  }
}

// REQUIRES: the table ends at the lower limit or after it
void PrefixScan::Push(int level, std::size_t at) noexcept {
  const Level& its = version_.level(level);
  const TableFile& file = *its.files()[at];
  const Slice first = UserKeyOf(file.smallest());
  const std::optional<Slice>& upper = limits_.upper();
  if (upper && first >= *upper) return;  // it begins after the limits
  const bool spans =
      upper && first < *limits_.lower() && UserKeyOf(file.largest()) >= *upper;
  Candidate& candidate = candidates_[size_];
  candidate = {.at = static_cast<std::uint32_t>(at),
               .level = static_cast<std::int16_t>(level),
               .probes = 1,
               .asking = Asking::kNot};
  const unsigned char* line = TableSearch::kNoLine.data();
  if (spans) {
    const FilterSlot& slot = its.slot(at);
    // Once: the filter may be dropped at any moment, but not freed.
    const unsigned char* const lines = slot.lines();
    candidate.asking = AskingOf(slot, lines);
    if (candidate.asking == Asking::kLine) {
      const LineFilter filter = {.lines = lines, .count = slot.count()};
      line = filter.LineOf(hash_);
      __builtin_prefetch(line);
      candidate.probes =
          static_cast<std::uint16_t>(slot.shape() & FilterSlot::kProbes);
    }
  }
  queries_[size_] = {line, LineBitsOf(hash_)};
  ++size_;
}

PrefixScan::Asking PrefixScan::AskingOf(
    const FilterSlot& slot, const unsigned char* lines) const noexcept {
  if (lines == nullptr) return Asking::kSlowly;
  const unsigned shape = slot.shape();
  if ((shape & FilterSlot::kHasPrefixes) == 0) return Asking::kNot;
  const bool is_own = (shape & FilterSlot::kOtherSeed) == 0;
  return is_own ? Asking::kLine : Asking::kSlowly;
}

void PrefixScan::CheckLines() noexcept {
  // Neighbours mostly have equal probes.
  for (std::size_t from = 0, to = 0; from < size_; from = to) {
    const unsigned probes = candidates_[from].probes;
    while (to < size_ && candidates_[to].probes == probes) ++to;
    ActiveKernels().check_lines(queries_.data() + from, to - from,
                                TamisLineProbes(probes),
                                may_hold_.data() + from);
  }
}

bool PrefixScan::IsRuledOut(std::size_t i) {
  const Candidate& candidate = candidates_[i];
  if (candidate.asking == Asking::kNot) return false;
  bool was_asked = candidate.asking == Asking::kLine;
  const bool is_absent =
      was_asked ? !may_hold_[i] : IsRuledOutSlowly(candidate, &was_asked);
  if (was_asked) CountersOf(candidate).prefix_probes.Add(1);
  if (is_absent) CountersOf(candidate).prefix_absent.Add(1);
  return is_absent && reading_.filter_use == FilterUse::kOn;
}

bool PrefixScan::IsRuledOutSlowly(const Candidate& candidate, bool* was_asked) {
  const TableFile& file = *FileOf(candidate);
  if (DoesWithout(reading_, file)) {
    reading_.requests->Add(FileOf(candidate));
    return false;
  }
  const Result<const TableFilter*> filter = file.Filter();
  if (!filter.ok()) return false;  // reading the table reports it
  if ((*filter)->kind() == TableFilter::Kind::kLines) {
    PublishLines(reading_,
                 {.level = &version_.level(candidate.level),
                  .number = candidate.level,
                  .at = candidate.at},
                 **filter);
  }
  return (*filter)->has_prefixes() &&
         IsAbsentFrom(**filter, candidate, was_asked);
}

// REQUIRES: the filter has prefixes
bool PrefixScan::IsAbsentFrom(const TableFilter& filter,
                              const Candidate& candidate, bool* was_asked) {
  switch (filter.kind()) {
    case TableFilter::Kind::kLines:
      *was_asked = true;
      return !filter.lines().Check(HashWith(filter.lines().seed));
    case TableFilter::Kind::kWhole:
      *was_asked = true;
      return !filter.reader().MayContain(prefix_);
    case TableFilter::Kind::kParts: {
      const PartAnswer part =
          filter.parts().Ask(HashWith(filter.parts().top().seed));
      if (part.was_read) CountersOf(candidate).filter_parts_read.Add(1);
      if (part.damaged > 0) FileOf(candidate)->NoteDamagedParts(1);
      *was_asked = part.is_known;
      return part.is_known && part.is_absent;
    }
    case TableFilter::Kind::kLevelDbBlock:
    case TableFilter::Kind::kNone:
      break;
  }
  return false;
}

}  // namespace tamis
