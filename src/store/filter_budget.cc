// SPDX-License-Identifier: Apache-2.0
#include "store/filter_budget.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "base/no_throw.h"

namespace tamis {

// Returns the counts of all threads since the store was opened.
AskedCounts FilterBudget::CountAll() const {
  AskedCounts asked;
  views_.slots().ForEachCounters([&](const ReadCounters& counters) {
    asked.lookups += counters.lookups.value();
    for (std::size_t i = 0; i < asked.levels.size(); ++i) {
      const ReadCounters::Level& level = counters.levels[i];
      asked.levels[i].in_vain += level.filters.absent.value() +
                                 level.filters.false_positives.value() +
                                 level.unfiltered_in_vain.value();
      asked.levels[i].held += level.filters.true_positives.value() +
                              level.unfiltered.value() -
                              level.unfiltered_in_vain.value();
    }
    // As if there were no router: it may be dropped at any time.
    asked.levels[0].in_vain += counters.router.absent.value();
  });
  return asked;
}

FilterPlanInput FilterBudget::Input() const {
  FilterPlanInput input;
  const std::uint64_t limit = context_.room.limit();
  input.limit = limit - std::min(limit, context_.router_room.load());
  input.expects_hits = context_.options.expect_hits;
  input.asked = asked_.At(CountAll());
  return input;
}

Status FilterBudget::SetLimit(std::optional<std::uint64_t> bytes) noexcept {
  context_.room.set_limit(bytes.value_or(FilterRoom::kNoLimit));
  // Filters that other threads were loading come a moment later.
  constexpr int kMaxAttempts = 1000;
  for (int i = 0; i < kMaxAttempts; ++i) {
    if (Status done = Rebalance(); !done.ok()) return done;
    if (context_.room.held() <= context_.room.limit()) return Status::Ok();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return OutOfMemory();
}

Status FilterBudget::Rebalance() noexcept {
  if (context_.room.is_limited()) {
    was_limited_.store(true, std::memory_order_relaxed);
  } else if (!was_limited()) {
    return Status::Ok();
  }
  return NoThrow([this] {
    // Every turn loads some filter, of which a table has at most three.
    bool is_done = false;
    std::uint64_t tables = 0;
    for (std::uint64_t turn = 0; turn <= 3 * tables; ++turn) {
      versions_.WhileUnchanged([&](const Version& version) {
        const MutexLock lock(mutex_);
        Age(version);
        is_done = Hold(version);
        PlanNew(version);
        tables = version.table_count();
      });
      if (is_done) return Status::Ok();
      // Flushes and compactions wait for the versions, too.
      constexpr auto kTurnOfOthers = std::chrono::microseconds(100);
      std::this_thread::sleep_for(kTurnOfOthers);
    }
    return Status::Ok();
  });
}

// What was asked long ago counts less than what is asked now.
void FilterBudget::Age(const Version& version) {
  asked_.Advance(CountAll());
  constexpr std::uint64_t kMany = 1'000'000;
  std::uint64_t asked = 0;
  for (const Level& level : version.levels()) {
    for (const TableFileRef& file : level.files()) asked += file->asked();
  }
  if (asked < kMany) return;
  for (const Level& level : version.levels()) {
    for (const TableFileRef& file : level.files()) file->HalveAsked();
  }
}

namespace {

// Filters that lookups no longer find, though some may still use them.
class DroppedFilters {
 public:
  // REQUIRES: the slots outlive it; its thread has no guard of them
  explicit DroppedFilters(ReaderSlots& slots,
                          PartCache::Removed parts = {}) noexcept
      : slots_(slots), parts_(std::move(parts)) {}
  // Also where an exception ends what was begun.
  ~DroppedFilters() { Free(); }
  DroppedFilters(const DroppedFilters&) = delete;
  DroppedFilters& operator=(const DroppedFilters&) = delete;

  void Reserve(std::size_t count) { filters_.reserve(count); }
  // REQUIRES: no more than were reserved
  void Add(std::shared_ptr<const void> filter) noexcept {
    filters_.push_back(std::move(filter));
  }
  // Frees them when no lookup uses them any more.
  void Free() noexcept {
    slots_.WaitForReaders();
    filters_.clear();
    parts_.Free();
  }

 private:
  ReaderSlots& slots_;
  std::vector<std::shared_ptr<const void>> filters_;
  PartCache::Removed parts_;
};

}  // namespace

// Loads a filter, or as much of it as was planned.  Returns false if that could
// not be done.
bool FilterBudget::Load(const Version& version, const FilterChange& change,
                        StoreMutex& mutex) {
  const Level& level = version.level(change.level);
  const TableFile& file = *level.files()[change.at];
  file.ReloadFilter(change.to);
  const StoreLock lock(mutex);
  const TableFilter& loaded = *file.loaded_filter();
  level.slot(change.at).Publish(loaded, file.seeds());
  return loaded.divisor() == change.to;
}

// Returns true if there is no room for both what was planned and the range
// filters and filters of blocks that are held.
bool FilterBudget::LacksRoomFor(const std::vector<FilterChange>& changes,
                                const Version& version) const {
  std::uint64_t more = 0;
  std::uint64_t less = 0;
  for (const FilterChange& change : changes) {
    const TableFilter* const filter =
        version.level(change.level).files()[change.at]->loaded_filter();
    less += filter->bytes();
    more += filter->stored().BytesAt(change.to);
  }
  const std::uint64_t held = context_.room.held() + more;
  return held > less && held - less > context_.room.limit();
}

// Loads some of the range filters and filters of blocks that fit.  Returns
// false if there are more.
bool FilterBudget::LoadBlockFilters(const Version& version) const {
  constexpr std::size_t kAtOnce = 8;
  std::size_t loaded = 0;
  for (const Level& level : version.levels()) {
    for (const TableFileRef& file : level.files()) {
      const std::uint64_t range_bytes = file->missing_range_filter_bytes();
      if (range_bytes != 0 && context_.room.HasLeft(range_bytes)) {
        if (loaded >= kAtOnce) return false;
        if (file->ReloadRangeFilter()) ++loaded;
      }
      const std::uint64_t bytes = file->missing_block_filter_bytes();
      if (bytes == 0 || !context_.room.HasLeft(bytes)) continue;
      if (loaded >= kAtOnce) return false;
      if (file->ReloadBlockFilter()) ++loaded;
    }
  }
  return true;
}

// Drops first, then loads: what is held never exceeds the limit.  Returns false
// if there are more to load.
bool FilterBudget::Hold(const Version& version) {
  const HeldFilters plan = PlanHeldFilters(version, Input());
  const std::vector<FilterChange>& changes = plan.changes;
  const std::vector<std::weak_ptr<const TableFile>> removed =
      versions_.TakeRemoved();
  // What filters in parts leave is for their parts.
  const bool gives_up_blocks =
      plan.any_in_parts || LacksRoomFor(changes, version);
  // Nothing can fail from here to where they are waited for.
  PartCache::Removed parts = context_.filter_parts.Shrink(
      plan.any_in_parts ? plan.parts_bytes : 0, plan.parts_bytes);
  if (changes.empty() && removed.empty() && parts.empty() && !gives_up_blocks) {
    return LoadBlockFilters(version);
  }
  DroppedFilters dropped(views_.slots(), std::move(parts));
  dropped.Reserve(changes.size() + 3 * removed.size() +
                  (gives_up_blocks ? 2 * version.table_count() : 0));
  // An iterator may hold a table for long, and needs no filter.
  for (const std::weak_ptr<const TableFile>& one : removed) {
    const TableFileRef file = one.lock();
    if (file == nullptr) continue;
    dropped.Add(file->DropFilter());
    dropped.Add(file->DropBlockFilter());
    dropped.Add(file->DropRangeFilter());
  }
  for (const Level& level : version.levels()) {
    if (!gives_up_blocks) break;
    for (const TableFileRef& file : level.files()) {
      dropped.Add(file->DropBlockFilter());
      dropped.Add(file->DropRangeFilter());
    }
  }
  {
    const StoreLock lock(context_.mutex);
    for (const FilterChange& change : changes) {
      if (change.from == TableFilter::kDrop) continue;
      const Level& level = version.level(change.level);
      dropped.Add(level.files()[change.at]->DropFilter());
      level.slot(change.at).Clear();
    }
  }
  dropped.Free();
  // Few at a time: they may be on a disk, and others wait for the versions.
  constexpr std::size_t kAtOnce = 8;
  std::size_t tried = 0;
  bool any_loaded = false;
  for (const FilterChange& change : changes) {
    if (change.to == TableFilter::kDrop) continue;
    // What cannot be loaded would otherwise be planned for ever.
    if (tried >= kAtOnce && any_loaded) return false;
    any_loaded |= Load(version, change, context_.mutex);
    ++tried;
  }
  return plan.any_in_parts || LoadBlockFilters(version);
}

// There is no moment with both filters.
void FilterBudget::Replace(const Version& version, const FilterChange& change) {
  const Level& level = version.level(change.level);
  {
    // Waits for readers when it goes, after the lock.
    DroppedFilters dropped(views_.slots());
    dropped.Reserve(1);
    const StoreLock lock(context_.mutex);
    dropped.Add(level.files()[change.at]->DropFilter());
    level.slot(change.at).Clear();
  }
  (void)Load(version, change, context_.mutex);
}

Status FilterBudget::ReloadFilterOf(const TableFileRef& table) noexcept {
  const Status done = NoThrow([&] {
    versions_.WhileUnchanged([&](const Version& version) {
      const MutexLock lock(mutex_);
      for (int i = 0; i < kStoreLevels; ++i) {
        const std::vector<TableFileRef>& files = version.level(i).files();
        const auto found = std::find(files.begin(), files.end(), table);
        if (found == files.end()) continue;
        Replace(version, {.level = i,
                          .at = static_cast<std::size_t>(found - files.begin()),
                          .from = TableFilter::kDrop,
                          .to = TableFilter::kWholly});
        return;
      }
    });
    return Status::Ok();
  });
  return done.ok() ? Rebalance() : done;
}

void FilterBudget::WillFlush(std::uint64_t entries) noexcept {
  if (!context_.room.is_limited()) return;
  (void)NoThrow([&] {
    versions_.WhileUnchanged([&](const Version& version) {
      const MutexLock lock(mutex_);
      level0_keys_ = entries;
      PlanNew(version);
    });
    return Status::Ok();
  });
}

// Counts the keys as if level 0 had the tables that it had lately.
LevelKeys FilterBudget::KeysFor(const Version& version) {
  constexpr double kFading = 0.95;
  LevelKeys keys = CountKeys(version, context_.options.write_buffer_bytes);
  level0_tables_ = std::max(static_cast<double>(keys.tables_of_level0),
                            level0_tables_ * kFading);
  keys.tables_of_level0 =
      static_cast<std::uint64_t>(std::lround(level0_tables_));
  if (level0_keys_ > 0) keys.of_flush = level0_keys_;
  return keys;
}

// Plans again only if the tree, or the limit, has changed enough.
void FilterBudget::PlanNew(const Version& version) {
  const bool is_chosen = context_.options.filter_policy != nullptr ||
                         !context_.options.filter_per_level.empty() ||
                         context_.options.filter.empty();
  if (is_chosen || !context_.filters_fit) return;
  if (!context_.room.is_limited()) {
    context_.filters.Forget();
    planned_keys_.reset();
    return;
  }
  const LevelKeys keys = KeysFor(version);
  const FilterPlanInput input = Input();
  const std::uint64_t limit = input.limit;
  if (planned_keys_ && planned_limit_ == limit &&
      planned_keys_->IsCloseTo(keys)) {
    return;
  }
  const Result<std::array<std::string, kStoreLevels>> specs =
      PlanNewFilters(keys, input);
  if (!specs.ok()) return;
  if (!context_.filters.Plan(context_.options, *specs).ok()) return;
  planned_keys_ = keys;
  planned_limit_ = limit;
}

}  // namespace tamis
