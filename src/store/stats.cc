// SPDX-License-Identifier: Apache-2.0
// Statistics of a store.

#include <algorithm>
#include <charconv>
#include <optional>

#include "store/store_impl.h"

namespace tamis {
namespace {

void Add(const FilterCounters& from, FilterCounts* to) {
  to->absent += from.absent.value();
  to->true_positives += from.true_positives.value();
  to->false_positives += from.false_positives.value();
  to->probes = to->absent + to->true_positives + to->false_positives;
}

void AddReads(const ReadCounters& from, StoreStats* to) {
  for (std::size_t i = 0; i < to->levels.size(); ++i) {
    const ReadCounters::Level& level = from.levels[i];
    Add(level.filters, &to->levels[i].filters);
    Add(level.block_filters, &to->levels[i].block_filters);
    to->levels[i].tables_read += level.tables_read.value();
    to->levels[i].blocks_read += level.blocks_read.value();
    to->levels[i].unfiltered += level.unfiltered.value();
    to->levels[i].filter_parts_read += level.filter_parts_read.value();
    to->levels[i].range_filter_probes += level.ranges.asked.value();
    to->levels[i].range_filter_absent += level.ranges.absent.value();
    to->levels[i].range_tables_postponed += level.ranges.postponed.value();
    to->levels[i].range_tables_reached += level.ranges.reached.value();
    to->levels[i].prefix_probes += level.prefix_probes.value();
    to->levels[i].prefix_absent += level.prefix_absent.value();
  }
  Add(from.memtables, &to->memtable_filter);
  to->router_lookups += from.router.lookups.value();
  to->router_absent += from.router.absent.value();
  to->router_ask_all += from.router.ask_all.value();
  to->lookups += from.lookups.value();
  to->lookups_found += from.found.value();
  to->iterators += from.iterators.value();
  to->prefix_scans += from.prefix_scans.value();
}

// Sets the number of false positives that is expected at such a rate.
void ExpectRate(double rate, FilterCounts* counts) noexcept {
  counts->expected_false_positives =
      static_cast<double>(counts->absent + counts->false_positives) * rate;
}

// Adds the filters of the blocks that are in memory.
void AddBlockFilters(const Level& level, LevelStats* stats) {
  double rates = 0;
  for (const TableFileRef& file : level.files()) {
    const HeldBlockFilter* const filter = file->block_filter();
    if (filter == nullptr) continue;
    ++stats->block_filters_loaded;
    stats->block_filter_bytes += filter->bytes();
    rates += filter->expected_rate();
  }
  if (stats->block_filters_loaded == 0) return;
  stats->block_filter_rate =
      rates / static_cast<double>(stats->block_filters_loaded);
  ExpectRate(stats->block_filter_rate, &stats->block_filters);
}

// Adds the range filters that are in memory.
void AddRangeFilters(const Level& level, LevelStats* stats) {
  double rates = 0;
  for (const TableFileRef& file : level.files()) {
    const HeldRangeFilter* const filter = file->range_filter();
    if (filter == nullptr) continue;
    ++stats->range_filters_loaded;
    stats->range_filter_bytes += filter->bytes();
    rates += filter->expected_rate();
  }
  if (stats->range_filters_loaded == 0) return;
  stats->range_filter_rate =
      rates / static_cast<double>(stats->range_filters_loaded);
}

// Adds the tables of a level, and the rate expected from its filters' sizes.
void AddTables(const Level& level, LevelStats* stats) {
  stats->tables = level.size();
  stats->bytes = level.bytes();
  double rates = 0;
  std::uint64_t rated = 0;
  for (const TableFileRef& file : level.files()) {
    const TableFilter* filter = file->loaded_filter();
    if (filter == nullptr) continue;
    if (filter->kind() == TableFilter::Kind::kNone) {
      if (filter->stored().bytes > 0) ++stats->filters_dropped;
      continue;
    }
    ++stats->filters_loaded;
    if (filter->kind() == TableFilter::Kind::kParts) {
      ++stats->filters_in_parts;
    } else if (filter->divisor() > TableFilter::kWholly) {
      ++stats->filters_folded;
    }
    stats->filter_keys += filter->stored().keys;
    stats->filter_bytes += filter->bytes();
    rates += filter->expected_rate();
    ++rated;
  }
  if (rated > 0) {
    stats->filter_rate = rates / static_cast<double>(rated);
    ExpectRate(stats->filter_rate, &stats->filters);
  }
}

}  // namespace

StoreStats StoreImpl::Stats() const {
  StoreStats stats;
  views_.slots().ForEachCounters(
      [&](const ReadCounters& counters) { AddReads(counters, &stats); });
  stats.writes = context_.done.writes;
  stats.bytes_put = context_.done.bytes_put;
  stats.log_bytes = context_.done.log_bytes;
  stats.flushes = context_.done.flushes;
  stats.flush_bytes = context_.done.flush_bytes;
  stats.compactions = context_.done.compactions;
  stats.moves = context_.done.moves;
  stats.compaction_bytes_read = context_.done.compaction_bytes_read;
  stats.compaction_bytes_written = context_.done.compaction_bytes_written;
  stats.stall_microseconds = context_.done.stall_microseconds;
  stats.damaged_filters = context_.filter_faults.damaged();
  stats.damaged_filter_parts = context_.filter_faults.damaged_parts();
  stats.filters_not_built = context_.filter_faults.not_built();
  stats.filter_files_made =
      context_.done.filter_files.load(std::memory_order_relaxed);
  stats.last_filter_damage = context_.filter_faults.last_damaged();
  stats.last_filter_not_built = context_.filter_faults.last_not_built();
  stats.router_bytes = router_.held().bytes;
  stats.router_entries = router_.held().entries;
  stats.filter_memory_held = context_.room.held();
  stats.filter_parts_held = context_.filter_parts.bytes();
  if (context_.room.is_limited()) {
    stats.filter_memory_limit = context_.room.limit();
  }
  stats.block_cache_bytes = cache_->bytes();
  stats.block_cache_hits = cache_->hits();
  stats.block_cache_misses = cache_->misses();

  const StoreLock lock(context_.mutex);
  for (std::size_t i = 0; i < stats.levels.size(); ++i) {
    const Level& level = views_.current()->version->levels()[i];
    AddTables(level, &stats.levels[i]);
    AddBlockFilters(level, &stats.levels[i]);
    AddRangeFilters(level, &stats.levels[i]);
  }
  stats.memtable_bytes = views_.current()->memtable.table->bytes();
  for (const LoggedMemtable& immutable : views_.current()->immutable) {
    stats.memtable_bytes += immutable.table->bytes();
  }
  stats.immutable_memtables = views_.current()->immutable.size();
  ExpectRate(views_.current()->memtable.table->filter_rate(),
             &stats.memtable_filter);
  if (!background_.error().ok()) {
    stats.background_error = background_.error().ToString();
  }
  return stats;
}

std::vector<std::uint64_t> StoreImpl::ApproximateSizes(
    std::span<const KeyRange> ranges) const {
  const std::shared_ptr<const ReadView> view = views_.Current();
  // Returns the bytes of all tables before a key; without a key, of all.
  const auto before = [&](const std::optional<Slice>& key) {
    std::uint64_t sum = 0;
    for (const Level& level : view->version->levels()) {
      for (const TableFileRef& file : level.files()) {
        if (!key.has_value() ||
            context_.order.CompareUser(UserKeyOf(file->largest()), *key) < 0) {
          sum += file->bytes();
        } else if (context_.order.CompareUser(UserKeyOf(file->smallest()),
                                              *key) < 0) {
          const LookupKey at(*key, kMaxSequence);
          Result<const Table*> table = file->Open();
          if (table.ok()) sum += (*table)->ApproximateOffsetOf(at.internal());
        }
      }
    }
    return sum;
  };
  std::vector<std::uint64_t> sizes;
  for (const KeyRange& range : ranges) {
    const std::uint64_t start =
        range.start.has_value() ? before(range.start) : 0;
    const std::uint64_t end = before(range.end);
    sizes.push_back(end > start ? end - start : 0);
  }
  return sizes;
}

Result<std::string> StoreImpl::Property(std::string_view name) const {
  const Status unknown =
      Status::NotFound("no such property: " + std::string(name));
  if (name == "tamis.json") return Stats().ToJson();
  if (name == "tamis.prometheus") return Stats().ToPrometheus();
  for (const std::string_view prefix : {"tamis.", "leveldb."}) {
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  }
  const std::string_view kFilesAt = "num-files-at-level";
  if (name == "stats") return Stats().ToText();
  if (name == "approximate-memory-usage") {
    const StoreStats stats = Stats();
    std::uint64_t bytes = stats.memtable_bytes + stats.block_cache_bytes +
                          stats.router_bytes + stats.filter_parts_held;
    for (const LevelStats& level : stats.levels) {
      bytes += level.filter_bytes + level.block_filter_bytes +
               level.range_filter_bytes;
    }
    return std::to_string(bytes);
  }
  if (name == "sstables") return TablesAsText(*views_.Current()->version);
  if (!name.starts_with(kFilesAt)) return unknown;
  name.remove_prefix(kFilesAt.size());
  unsigned level = kStoreLevels;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), level);
  if (error != std::errc() || end != name.data() + name.size() ||
      level >= kStoreLevels) {
    return unknown;
  }
  return std::to_string(
      views_.Current()->version->level(static_cast<int>(level)).size());
}

std::string StoreImpl::TablesAsText(const Version& version) {
  std::string text;
  for (int i = 0; i < kStoreLevels; ++i) {
    text += "--- level " + std::to_string(i) + " ---\n";
    for (const TableFileRef& file : version.level(i).files()) {
      text += " " + std::to_string(file->number()) + ": " +
              std::to_string(file->bytes()) + " bytes\n";
    }
  }
  return text;
}

}  // namespace tamis
