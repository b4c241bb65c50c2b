// SPDX-License-Identifier: Apache-2.0
#include "store/batch_search.h"

#include <algorithm>

namespace tamis {

// Collects the keys of the set, with what the runs of level 0 need of them.
void BatchSearch::Open(KeySet keys) noexcept {
  open_count_ = 0;
  first_prefix_ = UINT64_MAX;
  last_prefix_ = 0;
  any_outside_ = false;
  const Level& newest = version_.level(0);
  const bool probe = version_.order().is_bytewise() && !newest.empty();
  for (std::size_t i = 0; i < size_; ++i) {
    if ((keys >> i & 1) == 0) continue;
    const std::size_t at = open_count_++;
    open_[at] = static_cast<std::uint32_t>(i);
    hashes_[at] = lookups_[i]->hash;
    if (!probe) continue;
    probed_[at] = newest.ProbeOf(lookups_[i]->key.user());
    any_outside_ |= probed_[at].outside;
    first_prefix_ = std::min(first_prefix_, probed_[at].prefix);
    last_prefix_ = std::max(last_prefix_, probed_[at].prefix);
  }
}

BatchSearch::Lines BatchSearch::LinesOf(const FilterSlot& slot) noexcept {
  const unsigned char* const lines = slot.lines();
  if (lines == nullptr) return {};
  const unsigned shape = slot.shape();
  return {.lines = lines,
          .count = slot.count(),
          .probes = shape & FilterSlot::kProbes,
          .by_other_seed = (shape & FilterSlot::kOtherSeed) != 0};
}

// Adds the i-th open key with that table.
[[gnu::always_inline]] inline void BatchSearch::Push(const Lines& lines,
                                                     std::size_t i,
                                                     std::size_t table,
                                                     Aim* aim) const noexcept {
  const std::size_t at = aim->size++;
  aim->keys[at] = open_[i];
  aim->tables[at] = static_cast<std::uint32_t>(table);
  BlockQuery& query = aim->queries[at];
  query = {TableSearch::kNoLine.data(), 0};
  aim->probes[at] = static_cast<std::uint8_t>(aim->last_probes);
  if (lines.lines == nullptr) return;
  aim->is_mixed |= aim->last_probes != 0 && lines.probes != aim->last_probes;
  aim->last_probes = lines.probes;
  aim->probes[at] = static_cast<std::uint8_t>(lines.probes);
  const std::uint64_t hash =
      lines.by_other_seed ? lookups_[open_[i]]->other_hash() : hashes_[i];
  const LineFilter filter = {.lines = lines.lines, .count = lines.count};
  query = filter.QueryOf(hash);
  __builtin_prefetch(query.block);
}

bool BatchSearch::IsInTable(const TableFile& file,
                            std::size_t i) const noexcept {
  const KeyOrder& order = version_.order();
  const Slice key = lookups_[open_[i]]->key.user();
  return order.CompareUser(UserKeyOf(file.smallest()), key) <= 0 &&
         order.CompareUser(key, UserKeyOf(file.largest())) <= 0;
}

void BatchSearch::AimAtLevel0(std::size_t table, Aim* aim) noexcept {
  const Level& level = version_.level(0);
  aim->level = 0;
  const Lines lines = LinesOf(level.slot(table));
  if (!version_.order().is_bytewise()) {
    for (std::size_t i = 0; i < open_count_; ++i) {
      if (IsInTable(*level.files()[table], i)) Push(lines, i, table, aim);
    }
    return;
  }
  const std::uint64_t first = level.spans().first[table];
  const std::uint64_t last = level.spans().last[table];
  if (first <= first_prefix_ && last_prefix_ <= last && !any_outside_) {
    for (std::size_t i = 0; i < open_count_; ++i) Push(lines, i, table, aim);
    return;
  }
  for (std::size_t i = 0; i < open_count_; ++i) {
    const Level::Probe& probe = probed_[i];
    if (!probe.outside && first <= probe.prefix && probe.prefix <= last) {
      Push(lines, i, table, aim);
    }
  }
}

// Finds where the routes lead, for all keys at once.
void BatchSearch::FollowRoutes(KeySet keys, ReadCounters* counters) noexcept {
  const std::size_t all = version_.level(0).size();
  std::size_t most = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    if ((keys >> i & 1) == 0) continue;
    Routes::Tables& tables = routed_[i];
    routes_->Find(lookups_[i]->hash, &tables);
    if (tables.are_all) tables.count = all;
    counters->router.Count(all, tables.count, tables.are_all);
    most = std::max(most, tables.count);
  }
  if (use_ == FilterUse::kOn) {
    newest_runs_ = most;
  } else {
    routes_ = nullptr;  // counted, and not believed
  }
}

// Aims each key at its table of that turn, if it has so many.
void BatchSearch::AimByRoutes(std::size_t turn, Aim* aim) noexcept {
  aim->level = 0;
  for (std::size_t i = 0; i < open_count_; ++i) {
    const Routes::Tables& tables = routed_[open_[i]];
    if (turn >= tables.count) continue;
    const std::size_t table = tables.are_all ? turn : tables.at[turn];
    Push(LinesOf(version_.level(0).slot(table)), i, table, aim);
  }
}

void BatchSearch::AimAtLevel(int number, Aim* aim) noexcept {
  const Level& level = version_.level(number);
  aim->level = number;
  for (std::size_t i = 0; i < open_count_; ++i) {
    const std::size_t table =
        level.FindHolder(lookups_[open_[i]]->key.internal());
    if (table == level.size()) continue;
    Push(number == skipped_level_ ? Lines() : LinesOf(level.slot(table)), i,
         table, aim);
  }
}

void BatchSearch::AimAt(std::size_t run, Aim* aim) noexcept {
  aim->size = 0;
  aim->last_probes = 0;
  aim->is_mixed = false;
  if (run >= newest_runs_) {
    AimAtLevel(version_.filled_levels()[run - newest_runs_], aim);
  } else if (routes_ != nullptr) {
    AimByRoutes(run, aim);
  } else {
    AimAtLevel0(run, aim);
  }
}

// Checks the lines of neighbours with equal probes together.
void BatchSearch::Check(const Aim& aim, bool* may_hold) noexcept {
  for (std::size_t from = 0, to = 0; from < aim.size; from = to) {
    const unsigned probes = aim.is_mixed ? aim.probes[from] : aim.last_probes;
    to = aim.is_mixed ? from : aim.size;
    while (to < aim.size && aim.probes[to] == probes) ++to;
    // If no filter's lines are known, any number of probes gives "maybe".
    ActiveKernels().check_lines(aim.queries.data() + from, to - from,
                                TamisLineProbes(probes == 0 ? 1 : probes),
                                may_hold + from);
  }
}

// Checks the lines, and keeps the tables that remain.
void BatchSearch::Take(const Aim& aim, ReadCounters* counters) noexcept {
  std::array<bool, kKeysAtOnce> may_hold;
  Check(aim, may_hold.data());
  const bool believe = use_ == FilterUse::kOn;
  std::uint64_t absent = 0;
  for (std::size_t i = 0; i < aim.size; ++i) {
    if (believe && !may_hold[i]) {
      ++absent;
      continue;
    }
    hits_[hit_count_++] = {
        .key = aim.keys[i],
        .place = {.level = &version_.level(aim.level),
                  .number = aim.level,
                  .at = aim.tables[i]},
        .answer = {.asked = aim.queries[i].block != TableSearch::kNoLine.data(),
                   .absent = !may_hold[i]}};
  }
  if (absent == 0) return;
  counters->levels[static_cast<std::size_t>(aim.level)].filters.absent.Add(
      absent);
}

bool BatchSearch::Search(KeySet keys, ReadCounters* counters) noexcept {
  hit_count_ = 0;
  if (next_run_ == 0 && routes_ != nullptr) FollowRoutes(keys, counters);
  if (next_run_ == run_count()) return false;
  Open(keys);
  const Aim* before = nullptr;
  for (std::size_t i = 0; i < kMaxRunsAtOnce && next_run_ < run_count(); ++i) {
    // Each run may add a hit for every key, and so may the one before.
    if (hit_count_ + 2 * kKeysAtOnce > kMaxHits) break;
    Aim* const aim = &aims_[i % 2];
    AimAt(next_run_++, aim);
    if (before != nullptr) Take(*before, counters);
    before = aim;
  }
  if (before != nullptr) Take(*before, counters);
  return true;
}

}  // namespace tamis
