// SPDX-License-Identifier: Apache-2.0
#include "store/filter_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tamis/filter_budget.h"

namespace tamis {
namespace {

// Below the limit stays a little, for headers and for sizes that are rounded
// up.
constexpr double kUsed = 0.995;
// With fewer bits per key on average, filters that live long are ribbons: more
// compact, and slower to build and to query.
constexpr double kTightBits = 7;
constexpr int kLongLived = 2;  // tables of this level and deeper ones
// So many lookups weigh as much as what is assumed before there are any.
constexpr double kAssumed = 1000;

constexpr std::array<unsigned, 4> kFolded = {8, 4, 2, TableFilter::kWholly};

int LastFilled(const Version& version) noexcept {
  return version.filled_levels().empty() ? 0 : version.filled_levels().back();
}

// Returns how often a lookup asks each sorted run of a level in vain: 1 before
// there are counts.  Level 0 has `tables_of_level0` of them, which are counted
// together.
double InVain(const FilterPlanInput& input, int level,
              std::uint64_t tables_of_level0) noexcept {
  const LevelAsked& asked = input.asked.levels[static_cast<std::size_t>(level)];
  const std::uint64_t runs =
      level == 0 ? std::max<std::uint64_t>(tables_of_level0, 1) : 1;
  const double each =
      static_cast<double>(asked.in_vain) / static_cast<double>(runs);
  return (each + kAssumed) /
         (static_cast<double>(input.asked.lookups) + kAssumed);
}

struct FilteredTable {
  int level;
  std::size_t at;
  const TableFilter::Stored* stored;
  unsigned now;
  double asked;  // in vain, per lookup
};

double RateAt(const TableFilter::Stored& stored, unsigned divisor) noexcept {
  if (divisor == TableFilter::kDrop) return 1.0;
  return divisor == TableFilter::kWholly ? stored.rate
                                         : stored.RateFoldedBy(divisor);
}

// More of a table's filter.
struct Step {
  std::size_t table;
  unsigned from;
  unsigned to;
  std::uint64_t bytes;  // more
  double gain_per_byte;
};

// Appends the steps that pay: of those that are left the gain falls.
void AppendSteps(const FilteredTable& table, std::size_t number,
                 std::vector<Step>* steps) {
  const std::size_t first = steps->size();
  const TableFilter::Stored& stored = *table.stored;
  const auto step_to = [&](unsigned from, unsigned to) {
    const std::uint64_t bytes = stored.BytesAt(to) - stored.BytesAt(from);
    const double gain =
        table.asked * (RateAt(stored, from) - RateAt(stored, to));
    return Step{number, from, to, bytes,
                gain / static_cast<double>(std::max<std::uint64_t>(bytes, 1))};
  };
  unsigned last = TableFilter::kDrop;
  for (const unsigned divisor : kFolded) {
    if (divisor != TableFilter::kWholly && !stored.FoldsBy(divisor)) continue;
    if (stored.BytesAt(divisor) <= stored.BytesAt(last)) continue;
    Step step = step_to(last, divisor);
    while (steps->size() > first &&
           steps->back().gain_per_byte <= step.gain_per_byte) {
      step = step_to(steps->back().from, divisor);
      steps->pop_back();
    }
    steps->push_back(step);
    last = divisor;
  }
  // What is there already is not given up for a small gain elsewhere.
  constexpr double kStays = 1.25;
  bool is_there = table.now != TableFilter::kDrop;
  for (std::size_t i = first; i < steps->size() && is_there; ++i) {
    (*steps)[i].gain_per_byte *= kStays;
    is_there = (*steps)[i].to != table.now;
  }
}

// Returns the tables whose filters are known, with how often each is asked.
std::vector<FilteredTable> KnownTables(const Version& version,
                                       const FilterPlanInput& input) {
  std::vector<FilteredTable> tables;
  for (int i = 0; i < kStoreLevels; ++i) {
    const Level& level = version.level(i);
    if (level.empty()) continue;
    const bool is_last = i == LastFilled(version);
    double in_vain = InVain(input, i, level.size());
    if (input.expects_hits && is_last) in_vain = 0;
    double all_asked = 0;
    for (const TableFileRef& file : level.files()) {
      all_asked += static_cast<double>(file->asked());
    }
    for (std::size_t at = 0; at < level.size(); ++at) {
      const TableFile& file = *level.files()[at];
      const TableFilter* const filter = file.loaded_filter();
      if (filter == nullptr || filter->stored().bytes == 0) continue;
      // In level 0 all are asked; elsewhere one, the larger ones more often.
      const double even = i == 0
                              ? 1.0
                              : static_cast<double>(file.bytes()) /
                                    static_cast<double>(std::max<std::uint64_t>(
                                        level.bytes(), 1));
      const double share =
          (static_cast<double>(file.asked()) + kAssumed * even) /
          (all_asked / (i == 0 ? static_cast<double>(level.size()) : 1.0) +
           kAssumed);
      tables.push_back({.level = i,
                        .at = at,
                        .stored = &filter->stored(),
                        .now = filter->divisor(),
                        .asked = in_vain * share});
    }
  }
  return tables;
}

// Divides the memory over steps that are in the order of their worth.
//
// Filters that are stored in parts share what all of them together are worth:
// it is divisible, because they are held by the part, and the parts that are
// asked often are in any of them.  Only if there is room for all of each, they
// are held wholly, which lookups ask faster.
class HeldDivision {
 public:
  HeldDivision(const std::vector<FilteredTable>& tables, std::uint64_t limit)
      : tables_(tables), left_(limit), held_(tables.size()) {}

  // So that each of them has its top block; those that are asked come first.
  void TakeTops() {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const TableFilter::Stored& stored = *tables_[i].stored;
      if (stored.bytes_in_parts == 0 || !(tables_[i].asked > 0)) continue;
      all_parts_ += stored.bytes;
      is_in_parts_ |= tables_[i].now == TableFilter::kInParts;
      if (stored.bytes_in_parts > left_) continue;
      left_ -= stored.bytes_in_parts;
      held_[i] = TableFilter::kInParts;
    }
  }

  void Take(const Step& step) {
    if (tables_[step.table].stored->bytes_in_parts > 0) {
      const std::uint64_t bytes = std::min(step.bytes, left_);
      left_ -= bytes;
      parts_ += bytes;
      return;
    }
    // A smaller step of this table had no room.
    if (held_[step.table] != step.from || step.bytes > left_) return;
    left_ -= step.bytes;
    held_[step.table] = step.to;
  }

  // Returns the memory for parts: also for those of filters that are loaded
  // later.
  std::uint64_t Finish() {
    parts_ += left_;
    // A little more, so that they do not come and go with every table.
    const std::uint64_t spare = is_in_parts_ ? all_parts_ / kSpare : 0;
    if (parts_ < all_parts_ || parts_ - all_parts_ < spare) return parts_;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      if (held_[i] == TableFilter::kInParts) held_[i] = TableFilter::kWholly;
    }
    return parts_ - all_parts_;
  }

  unsigned held(std::size_t i) const noexcept { return held_[i]; }

 private:
  static constexpr std::uint64_t kSpare = 16;

  const std::vector<FilteredTable>& tables_;
  std::uint64_t left_;
  std::uint64_t parts_ = 0;
  std::uint64_t all_parts_ = 0;
  bool is_in_parts_ = false;  // some are now
  std::vector<unsigned> held_;
};

}  // namespace

HeldFilters PlanHeldFilters(const Version& version,
                            const FilterPlanInput& input) {
  const std::vector<FilteredTable> tables = KnownTables(version, input);
  std::vector<Step> steps;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (tables[i].asked > 0) AppendSteps(tables[i], i, &steps);
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) {
                     return a.gain_per_byte > b.gain_per_byte;
                   });
  HeldDivision division(tables, input.limit);
  division.TakeTops();
  for (const Step& step : steps) division.Take(step);
  HeldFilters plan;
  plan.parts_bytes = division.Finish();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    plan.any_in_parts |= division.held(i) == TableFilter::kInParts;
    if (division.held(i) == tables[i].now) continue;
    plan.changes.push_back(
        {tables[i].level, tables[i].at, tables[i].now, division.held(i)});
  }
  return plan;
}

LevelKeys CountKeys(const Version& version, std::uint64_t write_buffer_bytes) {
  std::array<std::uint64_t, kStoreLevels> unknown{};  // bytes
  LevelKeys keys;
  double known_keys = 0;
  double known_bytes = 0;
  for (int i = 0; i < kStoreLevels; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (const TableFileRef& file : version.level(i).files()) {
      const TableFilter* const filter = file->loaded_filter();
      const std::uint64_t its = filter != nullptr ? filter->stored().keys : 0;
      if (its == 0) {
        unknown[at] += file->bytes();
        continue;
      }
      keys.levels[at] += its;
      known_keys += static_cast<double>(its);
      known_bytes += static_cast<double>(file->bytes());
    }
  }
  constexpr double kUsualEntryBytes = 100;
  const double entry_bytes =
      known_keys > 0 ? known_bytes / known_keys : kUsualEntryBytes;
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    keys.levels[i] += static_cast<std::uint64_t>(
        static_cast<double>(unknown[i]) / entry_bytes);
  }
  keys.tables_of_level0 = version.level(0).size();
  keys.of_flush =
      keys.tables_of_level0 > 0
          ? keys.levels[0] / keys.tables_of_level0
          : static_cast<std::uint64_t>(static_cast<double>(write_buffer_bytes) /
                                       entry_bytes);
  return keys;
}

bool LevelKeys::IsCloseTo(const LevelKeys& other) const noexcept {
  constexpr double kTenth = 0.1;
  const auto is_close = [](std::uint64_t a, std::uint64_t b) {
    const auto x = static_cast<double>(a);
    const auto y = static_cast<double>(b);
    return std::abs(x - y) <= kTenth * std::max(x, y);
  };
  bool are = tables_of_level0 == other.tables_of_level0 &&
             is_close(of_flush, other.of_flush);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    are = are && is_close(levels[i], other.levels[i]);
  }
  return are;
}

namespace {

// The sorted runs that memory is divided over.
struct PlannedRuns {
  std::vector<FilterRun> runs;
  std::vector<std::size_t> levels;  // of the runs
};

// `tables_of_level0`: as many, whatever there are.
PlannedRuns RunsOf(const LevelKeys& keys, const FilterPlanInput& input,
                   std::uint64_t bytes, std::uint64_t tables_of_level0) {
  int last = 0;
  std::uint64_t all = 0;
  for (int i = 0; i < kStoreLevels; ++i) {
    const std::uint64_t here = keys.levels[static_cast<std::size_t>(i)];
    all += here;
    if (here > 0) last = i;
  }
  const bool is_tight =
      static_cast<double>(bytes) * 8 < kTightBits * static_cast<double>(all);
  PlannedRuns planned;
  for (int i = 0; i < kStoreLevels; ++i) {
    const auto at = static_cast<std::size_t>(i);
    FilterRun run;
    run.keys =
        i == 0 ? std::max<std::uint64_t>(keys.of_flush, 1) : keys.levels[at];
    if (run.keys == 0) continue;
    run.asked = InVain(input, i, keys.tables_of_level0);
    if (input.expects_hits && i == last && last > 0) run.asked = 0;
    if (is_tight && i >= kLongLived) run.kind = "ribbon";
    const std::uint64_t count = i == 0 ? tables_of_level0 : 1;
    planned.runs.insert(planned.runs.end(), count, run);
    planned.levels.insert(planned.levels.end(), count, at);
  }
  return planned;
}

// Sets the specs of the levels that have runs.
Status Divide(const PlannedRuns& planned, std::uint64_t bytes,
              std::array<std::optional<std::string>, kStoreLevels>* specs) {
  const Result<FilterDivision> division =
      DivideFilterMemory(planned.runs, bytes);
  if (!division.ok()) return division.status();
  for (std::size_t i = 0; i < planned.runs.size(); ++i) {
    std::string spec = division->shares[i].spec;
    // So that it can be halved three times.
    if (spec.starts_with("bloom")) spec += ",fold=8";
    (*specs)[planned.levels[i]] = std::move(spec);
  }
  return Status::Ok();
}

}  // namespace

Result<std::array<std::string, kStoreLevels>> PlanNewFilters(
    const LevelKeys& keys, const FilterPlanInput& input) {
  const auto bytes =
      static_cast<std::uint64_t>(kUsed * static_cast<double>(input.limit));
  std::array<std::optional<std::string>, kStoreLevels> planned;
  // As if a table were in level 0, for that one; where there are none, the
  // levels below need not leave it room.
  Status divided =
      Divide(RunsOf(keys, input, bytes,
                    std::max<std::uint64_t>(keys.tables_of_level0, 1)),
             bytes, &planned);
  if (divided.ok() && keys.tables_of_level0 == 0) {
    divided = Divide(RunsOf(keys, input, bytes, 0), bytes, &planned);
  }
  if (!divided.ok()) return divided;
  std::array<std::string, kStoreLevels> specs;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    // What is first written on a level has the filters of the one above.
    if (planned[i]) {
      specs[i] = *std::move(planned[i]);
    } else if (i > 0) {
      specs[i] = specs[i - 1];
    }
  }
  return specs;
}

}  // namespace tamis
