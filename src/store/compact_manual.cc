// SPDX-License-Identifier: Apache-2.0
// Store::Compact(): merges everything in a range, down to the lowest level that
// has any of it.

#include <algorithm>
#include <optional>
#include <utility>

#include "base/no_throw.h"
#include "store/compactor.h"

namespace tamis {
namespace {

// A level from 1 on is compacted in pieces of about this size, so that the disk
// need not hold all of it twice.
constexpr std::uint64_t kMaxJobBytes = std::uint64_t{1} << 30;

// Null: that end of the range is open.
const Slice* PointerTo(const std::optional<Slice>& end) noexcept {
  return end.has_value() ? &*end : nullptr;
}

// Returns the lowest level with tables in the range; 0 if there are none.
int LowestLevel(const Version& version, const Slice* from, const Slice* to) {
  int lowest = 0;
  for (int i = 1; i < kStoreLevels; ++i) {
    if (!version.Overlapping(i, from, to).empty()) lowest = i;
  }
  return lowest;
}

// The progress of a piecewise compaction of one level.
struct Progress {
  std::string done;  // the largest user key that was compacted
  bool has_begun = false;
};

// Returns the next piece of a level: tables after progress->done.
std::optional<CompactionJob> NextPiece(const Version& version, int level,
                                       const Slice* from, const Slice* to,
                                       Progress* progress) {
  const KeyOrder& order = version.order();
  std::uint64_t bytes = 0;
  Slice first;
  Slice last;
  bool any = false;
  for (const TableFileRef& file : version.Overlapping(level, from, to)) {
    const Slice smallest = UserKeyOf(file->smallest());
    if (progress->has_begun &&
        order.CompareUser(smallest, progress->done) <= 0) {
      continue;
    }
    if (any && bytes > kMaxJobBytes) break;
    if (!any) first = smallest;
    any = true;
    last = UserKeyOf(file->largest());
    bytes += file->bytes();
  }
  if (!any) return std::nullopt;
  std::optional<CompactionJob> job =
      PickRange(version, level, level + 1, &first, &last);
  progress->done.assign(last);
  progress->has_begun = true;
  return job;
}

void Count(const CompactionJob& job, CompactReport* report) {
  if (job.is_move()) {
    ++report->moved;
  } else {
    report->merged += job.upper.size() + job.lower.size();
  }
}

}  // namespace

// Runs jobs one after the other, with no other compaction in between, until
// there are none.
Status Compactor::RunExclusively(const Pick& pick, CompactReport* report) {
  {
    const StoreLock lock(context_.mutex);
    ++waiting_;
    background_.compacting().BeginWaiting();
    while (!background_.is_closing() && is_busy()) background_.WaitForChange();
    background_.compacting().EndWaiting();
    --waiting_;
    if (background_.is_closing()) return context_.BeingClosed();
    is_exclusive_ = true;
  }
  bool is_over = false;
  Status status;
  while (status.ok() && !is_over) {
    status = NoThrow([&] {
      const std::optional<CompactionJob> job = pick(*views_.Current()->version);
      is_over = !job;
      // The caller waits, so it gives way to no other thread.
      Status done =
          job ? RunJob(*job, {.most = context_.options.compaction_threads,
                              .give_way = {}})
              : Status::Ok();
      if (job && done.ok()) Count(*job, report);
      return done;
    });
    views_.ReleaseRetired();
    budget_.RebalanceSoon();
  }
  const StoreLock lock(context_.mutex);
  is_exclusive_ = false;
  background_.NotifyWorkers();
  background_.NotifyWaiters();
  return status;
}

// Returns true if the table has a filter like those of new tables, or could not
// get one, or filters are not used.
Result<bool> Compactor::HasWantedFilter(int level,
                                        const TableFile& file) const {
  if (context_.filters.at(level)->policy == nullptr ||
      context_.options.filter_use == FilterUse::kOff) {
    return true;
  }
  {
    const ReaderSlots::Guard guard(views_.slots());
    Result<const TableFilter*> filter = file.Filter();
    if (!filter.ok()) return filter.status();
    const TableFilter::Kind kind = (*filter)->kind();
    if (kind == TableFilter::Kind::kLines ||
        kind == TableFilter::Kind::kWhole) {
      return true;
    }
    // Ours, though not in memory: LevelDB's do not say their keys.
    const TableFilter::Stored& stored = (*filter)->stored();
    if (stored.bytes > 0 && stored.keys > 0) return true;
  }
  return IsAsWanted(level, file);
}

// Returns true if rewriting the table would not change it.  False also if
// anything but its entries is damaged, because rewriting repairs that.  An
// error: it does not open.
Result<bool> Compactor::IsAsWanted(int level, const TableFile& file) const {
  Result<const Table*> table = file.Open();
  if (!table.ok()) return table.status();
  const Result<TableTraits> traits = (*table)->ReadTraits();
  return traits.ok() && context_.filters.at(level)->wanted.IsOf(*traits);
}

Result<CompactReport> Compactor::Compact(const CompactOptions& options) {
  CompactReport report;
  Status status;
  if (options.merge) status = CompactLevels(options.range, &report);
  if (!status.ok()) return status;
  // Old tables that were merged with nothing may lack our filter.
  const auto is_fine = [&](int level, const TableFile& file) {
    return options.rewrite_what_differs ? IsAsWanted(level, file)
                                        : HasWantedFilter(level, file);
  };
  status = RewriteUnless(options.range, is_fine, &report);
  if (!status.ok()) return status;
  return report;
}

Status Compactor::CompactLevels(const KeyRange& range, CompactReport* report) {
  const Slice* from = PointerTo(range.start);
  const Slice* to = PointerTo(range.end);  // one key too many is harmless
  const int lowest = LowestLevel(*views_.Current()->version, from, to);
  bool level0_done = false;
  Status status = RunExclusively(
      [&](const Version& version) {
        std::optional<CompactionJob> job;
        if (!level0_done) job = PickRange(version, 0, 1, from, to);
        // A single table may have deletions, and entries kept for a snapshot.
        if (job) job->must_rewrite = true;
        level0_done = true;
        return job;
      },
      report);
  for (int level = 1; status.ok() && level < lowest; ++level) {
    Progress progress;
    status = RunExclusively(
        [&](const Version& version) {
          return NextPiece(version, level, from, to, &progress);
        },
        report);
  }
  return status;
}

// Rewrites tables in place, one after the other.  Tables that are written
// meanwhile need no rewriting.
Status Compactor::RewriteUnless(const KeyRange& range, const IsFine& is_fine,
                                CompactReport* report) {
  const std::uint64_t first_new = versions_.NewFileNumber();
  CompactReport rewritten;
  Status looked;  // error of reading the tables
  Status status = RunExclusively(
      [&](const Version& version) -> std::optional<CompactionJob> {
        for (int level = 1; level < kStoreLevels; ++level) {
          for (const TableFileRef& file : version.Overlapping(
                   level, PointerTo(range.start), PointerTo(range.end))) {
            if (file->number() >= first_new) continue;
            const Result<bool> fine = is_fine(level, *file);
            looked = fine.status();
            if (!looked.ok()) return std::nullopt;
            if (*fine) continue;
            const Slice first = UserKeyOf(file->smallest());
            const Slice last = UserKeyOf(file->largest());
            return PickRange(version, level, level, &first, &last);
          }
        }
        return std::nullopt;
      },
      &rewritten);
  report->rewritten += rewritten.merged;
  return status.ok() ? looked : status;
}

}  // namespace tamis
