// SPDX-License-Identifier: Apache-2.0
// tamis/sstable_whatif.h -- what the filters of sstables cost and save, and
// what others would.
//
// A lookup of a missing key comes to every sstable of level 0 and of a table of
// Cassandra, and on each further level to the one whose range spans the key.
// It reads an sstable needlessly if the filter does not rule the key out.  All
// results are plain data: a weight, a rate and a number of bytes per sstable,
// and their sums.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/export.h"
#include "tamis/result.h"
#include "tamis/sstable.h"

namespace tamis {

// The sstables of one level of a directory, or of one table of Cassandra.
struct SstableGroup {
  std::string directory;  // that they are in
  std::string name;       // as SstableInfo::group
  // Groups that one lookup goes through have the same: the levels of a column
  // family, or the table.
  std::string scope;
  std::string_view engine;           // as SstableInfo::engine
  std::vector<std::size_t> members;  // their numbers among the sstables
  // How often a lookup of a missing key comes to each member; missing keys are
  // spread as stored ones are.
  std::vector<double> weights;
  // False: it is not known which of them a lookup comes to; all weights are 0.
  bool counts_reads = false;
};

// In the order of the sstables.
TAMIS_EXPORT std::vector<SstableGroup> GroupSstables(
    std::span<const SstableInfo> sstables);

// What a lookup of a missing key is expected to read of an sstable that it
// comes to: the rate of its filter, or 1 without one.
TAMIS_EXPORT double NeedlessReadsOf(const SstableInfo& sstable) noexcept;

// A kind of filter that tables of an engine may have.
struct SstableFilterKind {
  std::string_view name;    // as SstableFilterInfo::kind
  std::string_view policy;  // the name for MakePolicy()
  std::string_view reader;  // the program that uses it: "RocksDB"
};

// Returns the kinds of that engine, the usual one first; none: it is unknown.
TAMIS_EXPORT std::span<const SstableFilterKind> FilterKindsOf(
    std::string_view engine) noexcept;

// The filters that are imagined.  One of the first three is given.
struct WhatIfQuestion {
  std::optional<double> rate = {};          // of false positives, for each
  std::optional<double> bits_per_key = {};  // for each
  // Of all filters together, divided so that lookups read as little as possible
  // in vain.
  std::optional<std::uint64_t> memory = {};
  // Only sstables of this verdict get another filter.
  std::optional<FilterVerdict> only = {};
};

// Costs of one sstable, of a group, or of all.
struct FilterCost {
  std::uint64_t bytes = 0;    // of filters
  double needless_reads = 0;  // by a lookup of a missing key
};

// What one sstable would get.
struct WhatIfFilter {
  bool is_new = false;      // false: it keeps what it has
  std::string spec;         // for MakePolicy(); empty: no filter
  std::uint64_t bytes = 0;  // of the filter
  double rate = 1;          // what NeedlessReadsOf() would return
};

// All filters of one kind.
struct WhatIfPlan {
  SstableFilterKind kind;  // one of FilterKindsOf() the engine
  // Not empty: there are no such filters, for this reason, and the rest is
  // empty.
  std::string why_not;
  std::vector<WhatIfFilter> filters;  // in the order of the sstables
  std::vector<FilterCost> groups;     // in the order of the groups
  FilterCost total;                   // of all groups
  // With WhatIfQuestion::memory: the same memory, with equally many bits for
  // every key, as engines have it.
  std::optional<FilterCost> equal = {};
};

// An sstable that keeps what it has, because it is not known what another
// filter would cost.
struct UnmeasuredSstable {
  std::size_t number = 0;  // among the sstables
  std::string why;         // the reason
};

// The present and the alternatives.
struct WhatIfAnswer {
  std::vector<FilterCost> now;    // in the order of the groups
  FilterCost now_total;           // of all groups
  std::vector<WhatIfPlan> plans;  // in the order of FilterKindsOf()
  // In the order of the groups.
  std::vector<UnmeasuredSstable> unmeasured;
};

// Returns the keys that another filter of the sstable would have, prefixes
// included; 0: unknown.
TAMIS_EXPORT double KeysForFilter(const SstableInfo& sstable) noexcept;

// Answers for the sstables of one engine; those of others count nowhere.
// `groups` are those of GroupSstables(sstables).
// InvalidArgument: none or several of the first three are given, or one is out
// of its limits; or memory is to be divided where no group counts reads.
// ResourceExhausted: no memory.
TAMIS_EXPORT Result<WhatIfAnswer> AskWhatIf(
    std::span<const SstableInfo> sstables, std::span<const SstableGroup> groups,
    std::string_view engine, const WhatIfQuestion& question);

}  // namespace tamis
