#include "store/table_reading.h"

#include <array>

namespace tamis {
namespace {

Status StatusOf(LookupResult::State state) {
  return state == LookupResult::State::kValue ? Status::Ok() : NoSuchKey();
}

void CountPositive(FilterCounters* filters, bool found) noexcept {
  (found ? filters->true_positives : filters->false_positives).Add(1);
}

// One candidate's filter, where TableSearch could not ask it: not loaded yet,
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

// Counts "certainly absent" answers, a level's at a time: they are many.
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

// Reads one table.  True: it answered, or failed: *status says.
class TableVisit {
 public:
  TableVisit(const TableReading& reading, const Lookup& lookup,
             std::string* value, ReadCounters* counters) noexcept
      : reading_(reading),
        lookup_(lookup),
        value_(value),
        counters_(counters) {}

  bool Visit(const TableFile& file, int level_number, FilterAnswer answer,
             Status* status) {
    ReadCounters::Level& level =
        counters_->levels[static_cast<std::size_t>(level_number)];
    Result<const Table*> table = file.Open();
    if (!table.ok()) return Fail(table.status(), status);
    // A filter that is to be asked but not believed is asked on the side.
    const bool believe = reading_.filter_use == FilterUse::kOn;
    LookupResult result;
    const Status read = (*table)->Get(
        lookup_.key, {.verify_checksums = reading_.verify_checksums},
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

bool AskMemtable(const Memtable& memtable, const Lookup& lookup,
                 std::string* value, ReadCounters* counters, Status* status) {
  if (memtable.empty()) return false;
  if (memtable.has_filter() && !memtable.MayContain(lookup.digest)) {
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
      if (visit.Visit(search->file(i), search->level(i), answer, &status)) {
        return status;
      }
    }
  }
  return NoSuchKey();
}

}  // namespace tamis
