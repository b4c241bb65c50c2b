// SPDX-License-Identifier: Apache-2.0
// tamis/store_stats.h -- what a store has done since it was opened, and what
// it holds.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "tamis/export.h"

namespace tamis {

// The levels of a store, 0 included: as many as LevelDB has.
inline constexpr int kStoreLevels = 7;

// Counts of queries to the filters of one level, or of all.
// true_positives + false_positives + absent == probes
struct FilterCounts {
  std::uint64_t probes = 0;           // queries
  std::uint64_t absent = 0;           // "certainly absent": no read
  std::uint64_t true_positives = 0;   // "maybe", and the key was there
  std::uint64_t false_positives = 0;  // "maybe", and the key was not there
  // The number of false positives expected from the filters' sizes, among the
  // probes for keys that were not there.
  double expected_false_positives = 0;

  // Returns the rate of false positives; 0 if no absent key was queried.
  TAMIS_EXPORT double observed_rate() const noexcept;
  TAMIS_EXPORT double expected_rate() const noexcept;
};

// One level of the tree.
struct LevelStats {
  std::uint64_t tables = 0;       // files
  std::uint64_t bytes = 0;        // of those
  FilterCounts filters;           // queries by lookups
  std::uint64_t tables_read = 0;  // lookups that read past the filter
  std::uint64_t blocks_read = 0;  // data blocks, by lookups
  std::uint64_t unfiltered = 0;   // lookups in tables without a usable filter
  std::uint64_t filters_loaded = 0;  // now in memory
  std::uint64_t filter_bytes = 0;    // memory of those
  std::uint64_t filter_keys = 0;     // in those, as far as it is known
  double filter_rate = 1.0;          // the mean of their expected rates
  // For lack of memory (StoreOptions::filter_memory_bytes): held in part, or
  // not at all.
  std::uint64_t filters_folded = 0;
  std::uint64_t filters_dropped = 0;
  // Of those that are stored in parts (StoreOptions::filter_parts_above), the
  // ones that are held so, and the parts that lookups have read for them.
  std::uint64_t filters_in_parts = 0;
  std::uint64_t filter_parts_read = 0;
  // The second layer, StoreOptions::block_filter_bits: queries by lookups that
  // got past `filters`, and what is now in memory.
  FilterCounts block_filters;
  std::uint64_t block_filters_loaded = 0;
  std::uint64_t block_filter_bytes = 0;
  double block_filter_rate = 1.0;  // the mean of their expected rates
  // Range filters, StoreOptions::range_filter_bits: queries by iterators, and
  // those of them that ruled the table out.  Others told where the scan may
  // continue: the tables were left unread up to there, and some scans came
  // there.
  std::uint64_t range_filter_probes = 0;
  std::uint64_t range_filter_absent = 0;
  std::uint64_t range_tables_postponed = 0;
  std::uint64_t range_tables_reached = 0;
  std::uint64_t range_filters_loaded = 0;  // now in memory
  std::uint64_t range_filter_bytes = 0;    // memory of those
  double range_filter_rate = 1.0;          // the mean of their expected rates
  // Queries for a prefix (StoreOptions::prefix_extractor), by iterators whose
  // bounds lie within one: how many, and how many of those ruled the table out.
  std::uint64_t prefix_probes = 0;
  std::uint64_t prefix_absent = 0;
};

// What a store has done since it was opened, and what it holds.
struct StoreStats {
  std::array<LevelStats, kStoreLevels> levels{};  // by their number

  std::uint64_t lookups = 0;        // Get(), and each key of MultiGet()
  std::uint64_t lookups_found = 0;  // with a value
  FilterCounts memtable_filter;     // the memtables' own
  std::uint64_t iterators = 0;      // made so far
  std::uint64_t prefix_scans = 0;   // of those: within a prefix, by the filters

  std::uint64_t writes = 0;                 // batches
  std::uint64_t bytes_put = 0;              // keys and values given to writes
  std::uint64_t log_bytes = 0;              // written to logs
  std::uint64_t flushes = 0;                // of memtables to tables
  std::uint64_t flush_bytes = 0;            // of tables written by flushes
  std::uint64_t compactions = 0;            // those that wrote tables
  std::uint64_t moves = 0;                  // tables moved down unchanged
  std::uint64_t compaction_bytes_read = 0;  // of input tables
  std::uint64_t compaction_bytes_written = 0;  // of output tables
  std::uint64_t stall_microseconds = 0;        // writers were slowed or held

  // The router of level 0 (StoreOptions::level0_route_at): its memory, and the
  // keys of all tables in it; 0: there is none.
  std::uint64_t router_bytes = 0;
  std::uint64_t router_entries = 0;
  std::uint64_t router_lookups = 0;  // that asked it
  std::uint64_t router_absent = 0;   // tables that it ruled out, of all those
  std::uint64_t router_ask_all = 0;  // lookups in which it ruled out none

  // The memory of all filters now, those of tables that are still to be freed
  // and the router included; and StoreOptions::filter_memory_bytes.
  std::uint64_t filter_memory_held = 0;
  std::optional<std::uint64_t> filter_memory_limit = {};
  // Of that, the memory for parts of filters that are held in parts.
  std::uint64_t filter_parts_held = 0;

  // Current use of memory, and hits of the block cache.
  std::uint64_t memtable_bytes = 0;
  std::uint64_t immutable_memtables = 0;
  std::uint64_t block_cache_bytes = 0;
  std::uint64_t block_cache_hits = 0;
  std::uint64_t block_cache_misses = 0;

  std::uint64_t damaged_filters = 0;  // found, and ignored
  // Of filters in parts, which are used but for those.
  std::uint64_t damaged_filter_parts = 0;
  std::string last_filter_damage;  // the last of them, for people
  // Tables that were written without the filter that they should have, and the
  // reason for the last of them.
  std::uint64_t filters_not_built = 0;
  std::string last_filter_not_built;
  std::uint64_t filter_files_made = 0;  // see StoreOptions::filter_files
  // Empty, or why writes are refused, or why background work has stopped.
  std::string background_error;

  TAMIS_EXPORT FilterCounts filters() const noexcept;        // of all levels
  TAMIS_EXPORT FilterCounts block_filters() const noexcept;  // likewise
  // Returns the data blocks that a lookup reads on average; 0 without lookups.
  TAMIS_EXPORT double blocks_read_per_lookup() const noexcept;

  // Return a table for people, a JSON object, and the text format of
  // Prometheus.
  TAMIS_EXPORT std::string ToText() const;
  TAMIS_EXPORT std::string ToJson() const;
  TAMIS_EXPORT std::string ToPrometheus() const;
};

}  // namespace tamis
