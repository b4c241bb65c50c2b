// SPDX-License-Identifier: Apache-2.0
// StoreStats as text for people and programs.

#include <array>
#include <cstdio>
#include <string>

#include "base/json_text.h"
#include "tamis/store_stats.h"

namespace tamis {
namespace {

double Ratio(double a, double b) noexcept { return b > 0 ? a / b : 0; }

std::string FiltersAsJson(const FilterCounts& filters) {
  JsonObject object;
  object.Add("probes", filters.probes);
  object.Add("absent", filters.absent);
  object.Add("true_positives", filters.true_positives);
  object.Add("false_positives", filters.false_positives);
  object.Add("observed_rate", JsonNumber(filters.observed_rate()));
  object.Add("expected_rate", JsonNumber(filters.expected_rate()));
  return object.Finish();
}

FilterCounts Sum(const std::array<LevelStats, kStoreLevels>& levels,
                 FilterCounts LevelStats::*member) noexcept {
  FilterCounts sum;
  for (const LevelStats& level : levels) {
    const FilterCounts& counts = level.*member;
    sum.probes += counts.probes;
    sum.absent += counts.absent;
    sum.true_positives += counts.true_positives;
    sum.false_positives += counts.false_positives;
    sum.expected_false_positives += counts.expected_false_positives;
  }
  return sum;
}

// One number of a store, with its name in all formats.
struct NamedCount {
  std::string_view name;
  std::uint64_t StoreStats::*member;
  bool only_rises;
  std::string_view help;
};

constexpr NamedCount kCounts[] = {
    {"lookups", &StoreStats::lookups, true, "Keys that were looked up."},
    {"lookups_found", &StoreStats::lookups_found, true,
     "Lookups that found a value."},
    {"iterators", &StoreStats::iterators, true, "Iterators that were made."},
    {"prefix_scans", &StoreStats::prefix_scans, true,
     "Iterators within one prefix of the filters."},
    {"writes", &StoreStats::writes, true, "Groups of batches written."},
    {"bytes_put", &StoreStats::bytes_put, true,
     "Bytes of keys and values given to writes."},
    {"log_bytes", &StoreStats::log_bytes, true, "Bytes written to logs."},
    {"flushes", &StoreStats::flushes, true, "Memtables written to tables."},
    {"flush_bytes", &StoreStats::flush_bytes, true,
     "Bytes of tables written by flushes."},
    {"compactions", &StoreStats::compactions, true,
     "Compactions that wrote tables."},
    {"moves", &StoreStats::moves, true, "Tables moved down as they are."},
    {"compaction_bytes_read", &StoreStats::compaction_bytes_read, true,
     "Bytes of tables that compactions merged."},
    {"compaction_bytes_written", &StoreStats::compaction_bytes_written, true,
     "Bytes of tables that compactions wrote."},
    {"stall_microseconds", &StoreStats::stall_microseconds, true,
     "Time that writers were slowed or held."},
    {"memtable_bytes", &StoreStats::memtable_bytes, false,
     "Memory of memtables."},
    {"immutable_memtables", &StoreStats::immutable_memtables, false,
     "Memtables that wait to be flushed."},
    {"block_cache_bytes", &StoreStats::block_cache_bytes, false,
     "Decompressed blocks in memory."},
    {"block_cache_hits", &StoreStats::block_cache_hits, true,
     "Blocks found decompressed."},
    {"block_cache_misses", &StoreStats::block_cache_misses, true,
     "Blocks that had to be decompressed."},
    {"router_bytes", &StoreStats::router_bytes, false,
     "Memory of the router of level 0."},
    {"router_entries", &StoreStats::router_entries, false,
     "Keys of tables in the router."},
    {"router_lookups", &StoreStats::router_lookups, true,
     "Lookups that asked the router."},
    {"router_absent", &StoreStats::router_absent, true,
     "Tables that the router ruled out."},
    {"router_ask_all", &StoreStats::router_ask_all, true,
     "Lookups in which the router ruled out no table."},
    {"filter_memory_held", &StoreStats::filter_memory_held, false,
     "Memory of all filters."},
    {"filter_parts_held", &StoreStats::filter_parts_held, false,
     "Memory of parts of filters."},
    {"damaged_filters", &StoreStats::damaged_filters, true,
     "Filters that could not be used."},
    {"damaged_filter_parts", &StoreStats::damaged_filter_parts, true,
     "Parts of filters that could not be used."},
    {"filters_not_built", &StoreStats::filters_not_built, true,
     "Tables written without a filter they should have."},
    {"filter_files_made", &StoreStats::filter_files_made, true,
     "Filters written beside their tables."},
};

struct NamedLevelCount {
  std::string_view name;
  std::uint64_t LevelStats::*member;
  bool only_rises;
  std::string_view help;
};

constexpr NamedLevelCount kLevelCounts[] = {
    {"tables", &LevelStats::tables, false, "Tables of the level."},
    {"bytes", &LevelStats::bytes, false, "Bytes of the level's tables."},
    {"tables_read", &LevelStats::tables_read, true,
     "Lookups that went past the filter."},
    {"blocks_read", &LevelStats::blocks_read, true,
     "Data blocks read by lookups."},
    {"unfiltered", &LevelStats::unfiltered, true,
     "Lookups in tables without a usable filter."},
    {"filters_loaded", &LevelStats::filters_loaded, false,
     "Filters in memory."},
    {"filter_bytes", &LevelStats::filter_bytes, false, "Memory of filters."},
    {"filter_keys", &LevelStats::filter_keys, false,
     "Keys in filters in memory."},
    {"filters_folded", &LevelStats::filters_folded, false,
     "Filters of which a part is in memory."},
    {"filters_dropped", &LevelStats::filters_dropped, false,
     "Filters that are not in memory for lack of it."},
    {"filters_in_parts", &LevelStats::filters_in_parts, false,
     "Filters of which the parts that are asked for are read."},
    {"filter_parts_read", &LevelStats::filter_parts_read, true,
     "Parts of filters read by lookups."},
    {"prefix_probes", &LevelStats::prefix_probes, true,
     "Filters queried for a prefix by scans."},
    {"prefix_absent", &LevelStats::prefix_absent, true,
     "Tables that a prefix ruled out."},
    {"block_filters_loaded", &LevelStats::block_filters_loaded, false,
     "Tables whose filter of the blocks is in memory."},
    {"block_filter_bytes", &LevelStats::block_filter_bytes, false,
     "Memory of filters of the blocks."},
    {"range_filters_loaded", &LevelStats::range_filters_loaded, false,
     "Tables whose range filter is in memory."},
    {"range_filter_bytes", &LevelStats::range_filter_bytes, false,
     "Memory of range filters."},
    {"range_filter_probes", &LevelStats::range_filter_probes, true,
     "Range filters queried by iterators."},
    {"range_filter_absent", &LevelStats::range_filter_absent, true,
     "Tables that range filters ruled out."},
    {"range_tables_postponed", &LevelStats::range_tables_postponed, true,
     "Tables left unread up to the place that a range filter named."},
    {"range_tables_reached", &LevelStats::range_tables_reached, true,
     "Tables whose place, named by a range filter, was reached."},
};

struct NamedFilterCount {
  std::string_view name;
  std::uint64_t FilterCounts::*member;
  std::string_view help;
};

constexpr NamedFilterCount kFilterCounts[] = {
    {"filter_probes", &FilterCounts::probes, "Filters queried."},
    {"filter_absent", &FilterCounts::absent, "Answers certainly absent."},
    {"filter_true_positives", &FilterCounts::true_positives,
     "Answers maybe for keys that were there."},
    {"filter_false_positives", &FilterCounts::false_positives,
     "Answers maybe for keys that were not there."},
};

void AppendLine(std::string* text, const std::string& name, int level,
                std::uint64_t value) {
  *text += name;
  if (level >= 0) *text += "{level=\"" + std::to_string(level) + "\"}";
  *text += " " + std::to_string(value) + "\n";
}

void AppendHeader(std::string* text, const std::string& name,
                  std::string_view help, bool only_rises) {
  *text += "# HELP " + name + " ";
  *text += help;
  *text += "\n# TYPE " + name + (only_rises ? " counter\n" : " gauge\n");
}

std::string MetricName(std::string_view prefix, std::string_view name,
                       bool only_rises) {
  std::string metric(prefix);
  metric += name;
  if (only_rises) metric += "_total";
  return metric;
}

}  // namespace

double FilterCounts::observed_rate() const noexcept {
  return Ratio(static_cast<double>(false_positives),
               static_cast<double>(false_positives + absent));
}

double FilterCounts::expected_rate() const noexcept {
  return Ratio(expected_false_positives,
               static_cast<double>(false_positives + absent));
}

FilterCounts StoreStats::filters() const noexcept {
  return Sum(levels, &LevelStats::filters);
}

FilterCounts StoreStats::block_filters() const noexcept {
  return Sum(levels, &LevelStats::block_filters);
}

double StoreStats::blocks_read_per_lookup() const noexcept {
  std::uint64_t blocks = 0;
  for (const LevelStats& level : levels) blocks += level.blocks_read;
  return Ratio(static_cast<double>(blocks), static_cast<double>(lookups));
}

std::string StoreStats::ToText() const {
  std::string text =
      "level tables        bytes       probes       absent  false pos.  "
      "observed  expected  blocks read\n";
  std::array<char, 160> line{};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const LevelStats& level = levels[i];
    if (level.tables == 0 && level.filters.probes == 0) continue;
    const FilterCounts& f = level.filters;
    const auto n = [](std::uint64_t v) {
      return static_cast<unsigned long long>(v);
    };
    std::snprintf(line.data(), line.size(),
                  "%5zu %6llu %12llu %12llu %12llu %11llu  %7.4f%%  %7.4f%% "
                  "%12llu\n",
                  i, n(level.tables), n(level.bytes), n(f.probes), n(f.absent),
                  n(f.false_positives), 100 * f.observed_rate(),
                  100 * f.expected_rate(), n(level.blocks_read));
    text += line.data();
  }
  if (const FilterCounts blocks = block_filters(); blocks.probes > 0) {
    text += "filters of blocks: " + std::to_string(blocks.probes) +
            " probes, " + std::to_string(blocks.absent) + " absent, " +
            std::to_string(blocks.false_positives) + " false positives (" +
            JsonNumber(100 * blocks.observed_rate()) + "%, expected " +
            JsonNumber(100 * blocks.expected_rate()) + "%)\n";
  }
  std::uint64_t asked = 0;
  std::uint64_t absent = 0;
  std::uint64_t postponed = 0;
  std::uint64_t reached = 0;
  for (const LevelStats& level : levels) {
    asked += level.range_filter_probes;
    absent += level.range_filter_absent;
    postponed += level.range_tables_postponed;
    reached += level.range_tables_reached;
  }
  if (asked > 0) {
    text += "range filters: " + std::to_string(asked) + " probes, " +
            std::to_string(absent) + " absent; " + std::to_string(postponed) +
            " tables postponed, " + std::to_string(reached) +
            " of them reached\n";
  }
  text +=
      "data blocks read per lookup: " + JsonNumber(blocks_read_per_lookup()) +
      "\n";
  for (const NamedCount& count : kCounts) {
    text += std::string(count.name) + ": " +
            std::to_string(this->*count.member) + "\n";
  }
  if (filter_memory_limit) {
    text +=
        "filter_memory_limit: " + std::to_string(*filter_memory_limit) + "\n";
  }
  if (!last_filter_damage.empty()) {
    text += "last damaged filter: " + last_filter_damage + "\n";
  }
  if (!last_filter_not_built.empty()) {
    text += "last filter not built: " + last_filter_not_built + "\n";
  }
  if (!background_error.empty()) {
    text += "background error: " + background_error + "\n";
  }
  return text;
}

std::string StoreStats::ToJson() const {
  JsonObject object;
  std::string list = "[";
  for (std::size_t i = 0; i < levels.size(); ++i) {
    JsonObject level;
    level.Add("level", i);
    for (const NamedLevelCount& count : kLevelCounts) {
      level.Add(count.name, levels[i].*count.member);
    }
    level.Add("filters", FiltersAsJson(levels[i].filters));
    level.Add("block_filters", FiltersAsJson(levels[i].block_filters));
    list += (i > 0 ? "," : "") + level.Finish();
  }
  object.Add("levels", list + "]");
  object.Add("filters", FiltersAsJson(filters()));
  object.Add("memtable_filter", FiltersAsJson(memtable_filter));
  object.Add("blocks_read_per_lookup", JsonNumber(blocks_read_per_lookup()));
  for (const NamedCount& count : kCounts) {
    object.Add(count.name, this->*count.member);
  }
  if (filter_memory_limit) {
    object.Add("filter_memory_limit", *filter_memory_limit);
  }
  object.Add("last_filter_damage", JsonQuoted(last_filter_damage));
  object.Add("last_filter_not_built", JsonQuoted(last_filter_not_built));
  object.Add("background_error", JsonQuoted(background_error));
  return object.Finish();
}

std::string StoreStats::ToPrometheus() const {
  std::string text;
  for (const NamedCount& count : kCounts) {
    const std::string name =
        MetricName("tamis_store_", count.name, count.only_rises);
    AppendHeader(&text, name, count.help, count.only_rises);
    AppendLine(&text, name, -1, this->*count.member);
  }
  if (filter_memory_limit) {
    const std::string name = "tamis_store_filter_memory_limit";
    AppendHeader(&text, name, "Memory that filters may take.", false);
    AppendLine(&text, name, -1, *filter_memory_limit);
  }
  for (const NamedLevelCount& count : kLevelCounts) {
    const std::string name =
        MetricName("tamis_store_level_", count.name, count.only_rises);
    AppendHeader(&text, name, count.help, count.only_rises);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      AppendLine(&text, name, static_cast<int>(i), levels[i].*count.member);
    }
  }
  for (const NamedFilterCount& count : kFilterCounts) {
    const std::string name = MetricName("tamis_store_level_", count.name, true);
    AppendHeader(&text, name, count.help, true);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      AppendLine(&text, name, static_cast<int>(i),
                 levels[i].filters.*count.member);
    }
  }
  for (const NamedFilterCount& count : kFilterCounts) {
    const std::string name =
        MetricName("tamis_store_level_block_", count.name, true);
    AppendHeader(&text, name, count.help, true);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      AppendLine(&text, name, static_cast<int>(i),
                 levels[i].block_filters.*count.member);
    }
  }
  const std::string expected = "tamis_store_level_filter_expected_rate";
  AppendHeader(&text, expected,
               "Rate of false positives expected of the filters in memory.",
               false);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    text += expected + "{level=\"" + std::to_string(i) + "\"} " +
            JsonNumber(levels[i].filter_rate) + "\n";
  }
  return text;
}

}  // namespace tamis
