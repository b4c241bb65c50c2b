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
  Status done;
  {
    const MutexLock lock(turn_mutex_);
    done = TakeTurns();
  }
  CatchUp();
  return done;
}

void FilterBudget::RebalanceSoon() noexcept {
  must_start_again_ = true;
  CatchUp();
}

// What others want while a thread is at it is that thread's work, too.
void FilterBudget::CatchUp() noexcept {
  while (must_start_again_ && turn_mutex_.TryLock()) {
    must_start_again_ = false;
    (void)TakeTurns();
    turn_mutex_.Unlock();
  }
}

Status FilterBudget::TakeTurns() noexcept {
  if (context_.room.is_limited()) {
    was_limited_.store(true, std::memory_order_relaxed);
  } else if (!was_limited()) {
    return Status::Ok();
  }
  return NoThrow([this] {
    turn_mutex_.AssertHeld();
    // Every turn loads some filter, of which a table has at most three.
    Loads loads;
    std::uint64_t tables = 0;
    bool loads_filters = true;
    for (std::uint64_t turn = 0; turn <= 3 * tables; ++turn) {
      loads = {};  // tables that are gone are removed without a lock
      versions_.WhileUnchanged([&](const Version& version) {
        turn_mutex_.AssertHeld();
        const MutexLock lock(mutex_);
        Age(version);
        loads = Hold(version, loads_filters);
        PlanNew(version);
        tables = version.table_count();
      });
      // Flushes and compactions do not wait for a disk.
      const bool any_loaded = Load(loads);
      if (loads.are_all) return Status::Ok();
      // What cannot be loaded would otherwise be planned for ever.
      if (!any_loaded && !std::exchange(loads_filters, false)) break;
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

namespace {

// Few at a time: tables come and go meanwhile, and change the plan.
constexpr std::size_t kLoadedAtOnce = 8;

}  // namespace

// Loads a filter, or as much of it as was planned.  Returns false if that could
// not be done.
bool FilterBudget::Load(const Loading& loading) {
  const TableFileRef& table = loading.table;
  table->ReloadFilter(loading.to);
  const bool is_as_planned = table->loaded_filter()->divisor() == loading.to;
  // The table may be elsewhere by now, or gone: then its filter goes with it.
  versions_.WhileUnchanged([&](const Version& version) {
    for (const Level& level : version.levels()) {
      const auto found =
          std::find(level.files().begin(), level.files().end(), table);
      if (found == level.files().end()) continue;
      const StoreLock lock(context_.mutex);
      level.slot(static_cast<std::size_t>(found - level.files().begin()))
          .Publish(*table->loaded_filter(), table->seeds());
      return;
    }
  });
  return is_as_planned;
}

// Returns true if some could be loaded.
bool FilterBudget::Load(const Loads& loads) {
  std::size_t tried = 0;
  bool any_loaded = false;
  for (const Loading& loading : loads.filters) {
    if (tried++ >= kLoadedAtOnce && any_loaded) return true;
    any_loaded |= Load(loading);
  }
  for (const TableFileRef& table : loads.ranges) {
    any_loaded |= table->ReloadRangeFilter();
  }
  for (const TableFileRef& table : loads.blocks) {
    any_loaded |= table->ReloadBlockFilter();
  }
  return any_loaded;
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

// Chooses some of the range filters and filters of blocks that fit.
void FilterBudget::ChooseOtherFilters(const Version& version,
                                      Loads* loads) const {
  std::uint64_t all_bytes = 0;
  const auto fits = [&](std::uint64_t bytes) {
    return bytes != 0 && context_.room.HasLeft(all_bytes + bytes);
  };
  for (const Level& level : version.levels()) {
    for (const TableFileRef& file : level.files()) {
      const std::uint64_t range_bytes = file->missing_range_filter_bytes();
      if (fits(range_bytes)) {
        if (loads->count() >= kLoadedAtOnce) return;
        loads->ranges.push_back(file);
        all_bytes += range_bytes;
      }
      const std::uint64_t bytes = file->missing_block_filter_bytes();
      if (!fits(bytes)) continue;
      if (loads->count() >= kLoadedAtOnce) return;
      loads->blocks.push_back(file);
      all_bytes += bytes;
    }
  }
  loads->are_all = true;
}

// Drops, and returns what is to be loaded then: what is held never exceeds the
// limit.
FilterBudget::Loads FilterBudget::Hold(const Version& version,
                                       bool loads_filters) {
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
  Loads loads;
  if (changes.empty() && removed.empty() && parts.empty() && !gives_up_blocks) {
    ChooseOtherFilters(version, &loads);
    return loads;
  }
  DroppedFilters dropped(views_.slots(), std::move(parts));
  dropped.Reserve(changes.size() + 3 * removed.size() +
                  (gives_up_blocks ? 2 * version.table_count() : 0));
  // An iterator may hold a table for long, and needs no filter.
  for (const std::weak_ptr<const TableFile>& one : removed) {
    const TableFileRef file = one.lock();
    if (file == nullptr) continue;
    dropped.Add(file->RetireFilter());
    dropped.Add(file->DropBlockFilter());
    dropped.Add(file->RetireRangeFilter());
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
  for (const FilterChange& change : changes) {
    if (change.to == TableFilter::kDrop || !loads_filters) continue;
    loads.filters.push_back(
        {version.level(change.level).files()[change.at], change.to});
  }
  if (!plan.any_in_parts && loads.filters.empty()) {
    ChooseOtherFilters(version, &loads);
  } else {
    // All of them are loaded in one turn, and what is left is for parts.
    loads.are_all = plan.any_in_parts && loads.filters.size() <= kLoadedAtOnce;
  }
  return loads;
}

// Lookups no longer find the filter; false: the store no longer has the table.
bool FilterBudget::Drop(const Version& version, const TableFileRef& table) {
  for (const Level& level : version.levels()) {
    const auto found =
        std::find(level.files().begin(), level.files().end(), table);
    if (found == level.files().end()) continue;
    // Waits for readers when it goes, after the lock.
    DroppedFilters dropped(views_.slots());
    dropped.Reserve(1);
    const StoreLock lock(context_.mutex);
    dropped.Add(table->DropFilter());
    level.slot(static_cast<std::size_t>(found - level.files().begin())).Clear();
    return true;
  }
  return false;
}

// There is no moment with both filters.
Status FilterBudget::ReloadFilterOf(const TableFileRef& table) noexcept {
  const Status done = NoThrow([&] {
    const MutexLock lock(turn_mutex_);
    bool is_there = false;
    versions_.WhileUnchanged(
        [&](const Version& version) { is_there = Drop(version, table); });
    if (is_there)
      (void)Load(Loading{.table = table, .to = TableFilter::kWholly});
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
