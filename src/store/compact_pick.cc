// SPDX-License-Identifier: Apache-2.0
#include "store/compact_pick.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tamis {
namespace {

struct UserRange {
  Slice from;
  Slice to;
};

// REQUIRES: files is not empty
UserRange RangeOf(const KeyOrder& order,
                  const std::vector<TableFileRef>& files) {
  UserRange range{UserKeyOf(files.front()->smallest()),
                  UserKeyOf(files.front()->largest())};
  for (const TableFileRef& file : files) {
    const Slice smallest = UserKeyOf(file->smallest());
    const Slice largest = UserKeyOf(file->largest());
    if (order.CompareUser(smallest, range.from) < 0) range.from = smallest;
    if (order.CompareUser(largest, range.to) > 0) range.to = largest;
  }
  return range;
}

// Tables of one level that share a user key at their ends must stay together:
// its older versions would otherwise end up above its newer ones.  In level 0
// that applies to all that overlap.
std::vector<TableFileRef> WithNeighbours(const Version& version, int level,
                                         std::vector<TableFileRef> files) {
  while (true) {
    const UserRange range = RangeOf(version.order(), files);
    std::vector<TableFileRef> wider =
        version.Overlapping(level, &range.from, &range.to);
    if (wider.size() == files.size()) return wider;
    files = std::move(wider);
  }
}

CompactionJob JobOf(const Version& version, int level, int output_level,
                    std::vector<TableFileRef> upper) {
  CompactionJob job;
  job.level = level;
  job.output_level = output_level;
  job.upper = WithNeighbours(version, level, std::move(upper));
  if (level != output_level) {
    const UserRange range = RangeOf(version.order(), job.upper);
    job.lower = version.Overlapping(output_level, &range.from, &range.to);
    if (!job.lower.empty()) {
      job.lower = WithNeighbours(version, output_level, std::move(job.lower));
    }
  }
  return job;
}

// Returns the place of the first table after the one that was compacted last,
// wrapping around at the end.  REQUIRES: the level is not empty
std::size_t NextInTurn(const Version& version, int level) {
  const std::vector<TableFileRef>& files = version.level(level).files();
  const std::string& pointer =
      version.compact_pointers()[static_cast<std::size_t>(level)];
  if (pointer.empty()) return 0;
  const auto found = std::partition_point(
      files.begin(), files.end(), [&](const TableFileRef& file) {
        return version.order().Compare(file->largest(), pointer) <= 0;
      });
  return found == files.end() ? 0
                              : static_cast<std::size_t>(found - files.begin());
}

// The level of a sort that needs compaction most.
struct Urgent {
  int level = -1;  // none
  double score = 0;

  bool any() const noexcept { return level >= 0; }
  // Of equals, the higher level goes first.
  bool IsBefore(const Urgent& other) const noexcept {
    if (!any() || !other.any()) return any();
    return score > other.score || (score == other.score && level < other.level);
  }
};

Urgent MostUrgent(const Version& version, const CompactionLimits& limits,
                  JobSort sort) noexcept {
  const bool is_level0 = sort == JobSort::kLevel0;
  Urgent most;
  for (int i = is_level0 ? 0 : 1; i < (is_level0 ? 1 : kStoreLevels - 1); ++i) {
    const Urgent candidate{i, CompactionScore(version, limits, i)};
    if (candidate.score >= 1.0 && candidate.IsBefore(most)) most = candidate;
  }
  return most;
}

// Returns the first job of the level, in turn, that does not conflict with
// `running`, which may be null; nothing: all do.
std::optional<CompactionJob> NextJob(const Version& version, int level,
                                     const CompactionJob* running) {
  const std::vector<TableFileRef>& files = version.level(level).files();
  // In level 0 the oldest, together with all that overlap it.
  const std::size_t first =
      level == 0 ? files.size() - 1 : NextInTurn(version, level);
  const std::size_t count = level == 0 ? 1 : files.size();
  const auto conflicts = [&](const CompactionJob& job) {
    return running != nullptr && Conflict(version.order(), job, *running);
  };
  CompactionJob alone;
  alone.level = level;
  alone.output_level = level + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const TableFileRef& seed = files[(first + i) % files.size()];
    // Most that conflict do so by themselves, without their neighbours.
    alone.upper.assign(1, seed);
    if (conflicts(alone)) continue;
    CompactionJob job = JobOf(version, level, level + 1, {seed});
    if (!conflicts(job)) return job;
  }
  return std::nullopt;
}

// Returns the range of all keys of the job.
UserRange RangeOf(const KeyOrder& order, const CompactionJob& job) {
  UserRange range = RangeOf(order, job.upper);
  if (job.lower.empty()) return range;
  const UserRange lower = RangeOf(order, job.lower);
  if (order.CompareUser(lower.from, range.from) < 0) range.from = lower.from;
  if (order.CompareUser(lower.to, range.to) > 0) range.to = lower.to;
  return range;
}

}  // namespace

std::uint64_t CompactionLimits::LevelBytes(int level) const noexcept {
  std::uint64_t most = level1_bytes;
  for (int i = 1; i < level; ++i) {
    // No store is that large; the product must not wrap.
    if (most > UINT64_MAX / level_growth) return UINT64_MAX;
    most *= level_growth;
  }
  return most;
}

std::uint64_t CompactionJob::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const TableFileRef& file : upper) sum += file->bytes();
  for (const TableFileRef& file : lower) sum += file->bytes();
  return sum;
}

double CompactionScore(const Version& version, const CompactionLimits& limits,
                       int level) noexcept {
  if (level >= kStoreLevels - 1) return 0;  // there is no level below
  if (level == 0) {
    return static_cast<double>(version.level(0).size()) /
           static_cast<double>(limits.level0_tables);
  }
  return static_cast<double>(version.level(level).bytes()) /
         static_cast<double>(limits.LevelBytes(level));
}

bool Conflict(const KeyOrder& order, const CompactionJob& a,
              const CompactionJob& b) {
  const bool share_a_level =
      a.level <= b.output_level && b.level <= a.output_level;
  if (!share_a_level) return false;
  const UserRange of_a = RangeOf(order, a);
  const UserRange of_b = RangeOf(order, b);
  return order.CompareUser(of_a.from, of_b.to) <= 0 &&
         order.CompareUser(of_b.from, of_a.to) <= 0;
}

std::optional<CompactionJob> PickCompaction(const Version& version,
                                            const CompactionLimits& limits,
                                            JobSort sort,
                                            const OtherThread& other) {
  const Urgent own = MostUrgent(version, limits, sort);
  if (!own.any() || (other.excludes && other.running != nullptr)) {
    return std::nullopt;
  }
  // If all jobs of the level conflict, those of less urgent levels wait, too:
  // one that takes long would keep this one waiting when it could begin.
  std::optional<CompactionJob> job = NextJob(version, own.level, other.running);
  if (!job || other.running != nullptr || !other.is_ready) return job;
  const Urgent others =
      MostUrgent(version, limits,
                 sort == JobSort::kLevel0 ? JobSort::kBelow : JobSort::kLevel0);
  if (!others.IsBefore(own)) return job;
  if (other.excludes) return std::nullopt;
  const std::optional<CompactionJob> first =
      NextJob(version, others.level, nullptr);
  if (first && Conflict(version.order(), *job, *first)) return std::nullopt;
  return job;
}

std::optional<CompactionJob> PickRange(const Version& version, int level,
                                       int output_level, const Slice* from,
                                       const Slice* to) {
  std::vector<TableFileRef> upper = version.Overlapping(level, from, to);
  if (upper.empty()) return std::nullopt;
  return JobOf(version, level, output_level, std::move(upper));
}

std::uint64_t CompactionDebt(const Version& version,
                             const CompactionLimits& limits) noexcept {
  std::uint64_t debt = 0;
  if (version.level(0).size() >= limits.level0_tables) {
    debt += version.level(0).bytes() + version.level(1).bytes();
  }
  for (int i = 1; i < kStoreLevels - 1; ++i) {
    const std::uint64_t most = limits.LevelBytes(i);
    const std::uint64_t bytes = version.level(i).bytes();
    // The excess moves down, and each byte of it overlaps about level_growth /
    // 2 bytes of the next level.
    if (bytes > most) debt += (bytes - most) * (1 + limits.level_growth / 2);
  }
  return debt;
}

}  // namespace tamis
