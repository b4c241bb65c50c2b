// SPDX-License-Identifier: Apache-2.0
#include "store/lookup.h"

#include <algorithm>

namespace tamis {
namespace {

constexpr std::array<unsigned char, kLineBytes> AllOnes() {
  std::array<unsigned char, kLineBytes> line{};
  for (unsigned char& byte : line) byte = 0xff;
  return line;
}

Status StatusOf(LookupResult::State state) {
  return state == LookupResult::State::kValue ? Status::Ok() : NoSuchKey();
}

void CountPositive(FilterCounters* filters, bool found) noexcept {
  (found ? filters->true_positives : filters->false_positives).Add(1);
}

}  // namespace

// ---- which tables may contain the key

alignas(64) const std::array<unsigned char, kLineBytes> TableSearch::kNoLine =
    AllOnes();

void Lookup::HashByOther() const noexcept {
  other_hash_ = LineHash(key.user(), other_seed_);
  has_other_ = true;
}

// Inline, because it may be called for a hundred tables in a row.
inline void TableSearch::Push(const FilterSlot& slot, std::size_t i,
                              int number) noexcept {
  const unsigned char* block = kNoLine.data();
  if (const unsigned char* lines = slot.lines(); lines != nullptr) {
    const unsigned shape = slot.shape();
    if (probes_ == 0) probes_ = shape & ~FilterSlot::kOtherSeed;
    if (shape == probes_) {
      const LineFilter filter = {.lines = lines, .count = slot.count()};
      block = filter.LineOf(lookup_.hash);
      __builtin_prefetch(block);
    } else {
      other_shapes_ |= shape;
    }
  }
  candidates_[size_] = {static_cast<std::uint32_t>(i), number};
  queries_[size_] = {block, LineBitsOf(lookup_.hash)};
  ++size_;
}

// Separate, so that a lookup without such filters pays nothing.
void TableSearch::AskByOtherSeed() noexcept {
  const std::uint64_t hash = lookup_.other_hash();
  for (std::size_t i = 0; i < size_; ++i) {
    const FilterSlot& its = slot(i);
    const unsigned char* const lines = its.lines();
    if (lines == nullptr || its.shape() != (probes_ | FilterSlot::kOtherSeed)) {
      continue;
    }
    const LineFilter filter = {.lines = lines, .count = its.count()};
    filter.Prefetch(hash);
    queries_[i] = filter.QueryOf(hash);
  }
}

void TableSearch::GatherLevel0() noexcept {
  const Level& level = version_.level(0);
  const KeyOrder& order = version_.order();
  if (order.is_bytewise()) return GatherLevel0Bytewise(level);
  const Slice key = lookup_.key.user();
  while (next_level0_ < level.size() && size_ < kGroup) {
    const std::size_t i = next_level0_++;
    const TableFile& file = *level.files()[i];
    if (order.CompareUser(UserKeyOf(file.smallest()), key) <= 0 &&
        order.CompareUser(key, UserKeyOf(file.largest())) <= 0) {
      Push(level.slot(i), i, 0);
    }
  }
}

void TableSearch::GatherLevel0Bytewise(const Level& level) noexcept {
  const std::size_t count = level.size();
  std::size_t i = next_level0_;
  if (i >= count) return;
  const Level::Probe probe = level.ProbeOf(lookup_.key.user());
  if (probe.outside) {
    next_level0_ = count;
    return;
  }
  const Level::Spans spans = level.spans();
  const FilterSlot* const slots = &level.slot(0);
  for (; i < count && size_ < kGroup; ++i) {
    if (spans.first[i] <= probe.prefix && probe.prefix <= spans.last[i]) {
      Push(slots[i], i, 0);
    }
  }
  next_level0_ = i;
}

void TableSearch::Gather() noexcept {
  size_ = 0;
  is_checked_ = false;
  requested_ = kGroup;
  probes_ = 0;
  other_shapes_ = 0;
  GatherLevel0();
  const std::vector<int>& filled = version_.filled_levels();
  while (next_filled_ < filled.size() && size_ < kGroup) {
    const int number = filled[next_filled_++];
    const Level& level = version_.level(number);
    const std::size_t at = level.FindHolder(lookup_.key.internal());
    if (at < level.size()) Push(level.slot(at), at, number);
  }
  if ((other_shapes_ & FilterSlot::kOtherSeed) != 0) AskByOtherSeed();
}

// ---- the memtables

namespace {

// Returns true if the memtable has the key, and sets *status.
bool AskMemtable(const Memtable& memtable, const Lookup& lookup,
                 std::string* value, ReadCounters* counters, Status* status) {
  if (memtable.empty()) return false;
  if (memtable.has_filter() && !memtable.MayContain(lookup.hash)) {
    counters->memtables.absent.Add(1);
    return false;
  }
  LookupResult result;
  memtable.Get(lookup.key, value, &result);
  const bool found = result.state != LookupResult::State::kAbsent;
  if (memtable.has_filter()) CountPositive(&counters->memtables, found);
  if (found) *status = StatusOf(result.state);
  return found;
}

}  // namespace

bool FindInMemtables(const ReadView& view, const Lookup& lookup,
                     std::string* value, ReadCounters* counters,
                     Status* status) {
  if (AskMemtable(*view.memtable.table, lookup, value, counters, status)) {
    return true;
  }
  return std::any_of(view.immutable.begin(), view.immutable.end(),
                     [&](const LoggedMemtable& immutable) {
                       return AskMemtable(*immutable.table, lookup, value,
                                          counters, status);
                     });
}

// ---- the filters of the tables, all at once

void TableSearch::Check() noexcept {
  if (is_checked_) return;
  is_checked_ = true;
  // If no filter's lines are known, any number of probes gives "maybe".
  const LineProbes probes = TamisLineProbes(probes_ == 0 ? 1 : probes_);
  ActiveKernels().check_lines(queries_.data(), size_, probes, may_hold_.data());
}

void TableSearch::Request() noexcept {
  std::size_t i = 0;
  while (i < size_ && !may_hold_[i]) ++i;
  if (i == size_) return;
  const Table* const table = file(i).opened();
  if (table == nullptr) return;
  block_ = table->WillGet(lookup_.key);
  requested_ = i;
}

// ---- the tables that remain

namespace {

// The filter of a candidate that TableSearch could not query: not loaded yet,
// or of another kind.
struct FilterAnswer {
  const TableFilter* filter = nullptr;
  bool asked = false;
  bool absent = false;
};

Result<FilterAnswer> AskSlowly(const TableSearch& search, std::size_t i,
                               const Lookup& lookup) {
  Result<const TableFilter*> filter = search.file(i).Filter();
  if (!filter.ok()) return filter.status();
  FilterAnswer answer;
  answer.filter = *filter;
  switch ((*filter)->kind()) {
    case TableFilter::Kind::kLines:
      search.slot(i).Publish(**filter, search.file(i).seeds());
      [[fallthrough]];
    case TableFilter::Kind::kWhole:
      answer.asked = true;
      answer.absent = !(*filter)->MayContain(lookup.key.user());
      break;
    case TableFilter::Kind::kLevelDbBlock:  // Table::Get() asks it
    case TableFilter::Kind::kNone:
      break;
  }
  return answer;
}

// Counts "certainly absent" answers, one level at a time: there are many.
class AbsentCount {
 public:
  explicit AbsentCount(ReadCounters* counters) noexcept : counters_(counters) {}
  ~AbsentCount() { Flush(); }
  AbsentCount(const AbsentCount&) = delete;
  AbsentCount& operator=(const AbsentCount&) = delete;

  void Add(int level) noexcept {
    if (level != level_) Flush();
    level_ = level;
    ++count_;
  }

 private:
  void Flush() noexcept {
    if (count_ == 0) return;
    counters_->levels[static_cast<std::size_t>(level_)].filters.absent.Add(
        count_);
    count_ = 0;
  }

  ReadCounters* counters_;
  int level_ = 0;
  std::uint64_t count_ = 0;
};

// Reads one table.  True: it has the key, or failed; *status says which.
class TableVisit {
 public:
  TableVisit(const TableReading& reading, const Lookup& lookup,
             std::string* value, ReadCounters* counters) noexcept
      : reading_(reading),
        lookup_(lookup),
        value_(value),
        counters_(counters) {}

  // Visits the i-th candidate.
  bool Visit(const TableSearch& search, std::size_t i, FilterAnswer answer,
             Status* status) {
    ReadCounters::Level& level =
        counters_->levels[static_cast<std::size_t>(search.level(i))];
    Result<const Table*> table = search.file(i).Open();
    if (!table.ok()) return Fail(table.status(), status);
    // A filter that is only counted is queried separately.
    const bool believe = reading_.filter_use == FilterUse::kOn;
    LookupResult result;
    const Status read =
        (*table)->Get(lookup_.key,
                      {.verify_checksums = reading_.verify_checksums,
                       .block = search.block(i)},
                      believe ? answer.filter : nullptr, value_, &result);
    level.tables_read.Add(1);
    level.blocks_read.Add(result.blocks_read);
    if (!read.ok()) return Fail(read, status);
    const bool found = result.state != LookupResult::State::kAbsent;
    if (result.block_filter_asked) {
      answer.asked = true;
      answer.absent = result.block_filter_absent;
    }
    if (!answer.asked) {
      level.unfiltered.Add(1);
    } else if (answer.absent) {
      level.filters.absent.Add(1);
    } else {
      CountPositive(&level.filters, found);
    }
    if (found) *status = StatusOf(result.state);
    return found;
  }

 private:
  static bool Fail(const Status& why, Status* status) {
    *status = why;
    return true;
  }

  const TableReading& reading_;
  const Lookup& lookup_;
  std::string* value_;
  ReadCounters* counters_;
};

}  // namespace

Status FindInTables(const TableReading& reading, TableSearch* search,
                    const Lookup& lookup, std::string* value,
                    ReadCounters* counters) {
  TableVisit visit(reading, lookup, value, counters);
  AbsentCount absent(counters);
  const bool believe = reading.filter_use == FilterUse::kOn;
  Status status;
  for (; search->size() > 0; search->Gather()) {
    search->Check();
    for (std::size_t i = 0; i < search->size(); ++i) {
      if (believe && !search->may_hold(i)) {
        absent.Add(search->level(i));
        continue;
      }
      FilterAnswer answer{.asked = search->was_asked(i),
                          .absent = !search->may_hold(i)};
      if (!answer.asked && reading.filter_use != FilterUse::kOff) {
        Result<FilterAnswer> slowly = AskSlowly(*search, i, lookup);
        if (!slowly.ok()) return slowly.status();
        answer = *slowly;
      }
      if (answer.absent && believe) {
        absent.Add(search->level(i));
        continue;
      }
      if (visit.Visit(*search, i, answer, &status)) {
        return status;
      }
    }
  }
  return NoSuchKey();
}

}  // namespace tamis
