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

// Returns the first table after the one that was compacted last, wrapping
// around at the end.
const TableFileRef& NextInTurn(const Version& version, int level,
                               const std::string& pointer) {
  const std::vector<TableFileRef>& files = version.level(level).files();
  if (pointer.empty()) return files.front();
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const TableFileRef& file) {
        return version.order().Compare(file->largest(), pointer) > 0;
      });
  return found == files.end() ? files.front() : *found;
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

std::optional<CompactionJob> PickCompaction(
    const Version& version, const CompactionLimits& limits,
    const std::array<std::string, kStoreLevels>& pointers) {
  int level = -1;
  double best = 1.0;
  for (int i = 0; i < kStoreLevels - 1; ++i) {
    const double score = CompactionScore(version, limits, i);
    if (score >= best && !(level >= 0 && score == best)) {
      best = score;
      level = i;
    }
  }
  if (level < 0) return std::nullopt;
  // In level 0 the oldest, together with all that overlap it.
  const TableFileRef& seed =
      level == 0 ? version.level(0).files().back()
                 : NextInTurn(version, level,
                              pointers[static_cast<std::size_t>(level)]);
  return JobOf(version, level, level + 1, {seed});
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
