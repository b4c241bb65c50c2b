// SPDX-License-Identifier: Apache-2.0
// table/table_meta.h -- the metaindex of a table: its filters by name.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/filter_opener.h"
#include "table/compression.h"
#include "table/footer.h"
#include "tamis/env.h"
#include "tamis/filter.h"
#include "tamis/status.h"

namespace tamis {

// LevelDB's filter block, which LevelDB uses under this name.
inline constexpr std::string_view kLevelDbFilterMeta =
    "filter.leveldb.BuiltinBloomFilter2";
// Returns the same, or what LevelDB calls the block of a custom policy: it
// comes before every name of ours, too.
std::string LevelDbFilterMeta(const FilterPolicy* custom);
// Followed by the name of a policy: a filter of the whole table, which LevelDB
// ignores.
inline constexpr std::string_view kWholeFilterMeta = "tamis.filter.";
// The filter of the data blocks (formats/tamis/block_filter.h), which LevelDB
// ignores.  Other bytes will have another name.
inline constexpr std::string_view kBlockFilterMeta = "tamis.blockfilter1";

// The top block of a filter that is stored in parts (table/filter_parts.h);
// LevelDB, and what does not know it, ignores it.
inline constexpr std::string_view kFilterPartsMeta = "tamis.filter_parts1";

// How the table was written, as lines (base/named_lines.h); LevelDB ignores it.
inline constexpr std::string_view kPropertiesMeta = "tamis.properties";
// Lines that the table itself adds: its distinct user keys; and why it lacks a
// requested filter.
inline constexpr std::string_view kKeysProperty = "keys";
inline constexpr std::string_view kFilterNotBuiltProperty = "filter_not_built";
inline constexpr std::string_view kLevelDbFilterNotBuiltProperty =
    "leveldb_filter_not_built";
inline constexpr std::string_view kBlockFilterNotBuiltProperty =
    "block_filter_not_built";
inline constexpr std::string_view kRangeFilterNotBuiltProperty =
    "range_filter_not_built";

// The range filter (kind 10 of the .tamis container) of the table's user keys,
// which LevelDB ignores.
inline constexpr std::string_view kRangeFilterMeta = "tamis.rangefilter1";
// The extractor (tamis/prefix.h) whose prefixes the whole-table filter has; and
// why it has none, though they were requested.
inline constexpr std::string_view kPrefixesProperty = "prefix_extractor";
inline constexpr std::string_view kPrefixesNotBuiltProperty =
    "prefixes_not_built";

struct MetaEntry {
  std::string name;
  BlockHandle handle;
};

// Reads all entries of the metaindex.  Corruption: damaged.
Status ReadMetaindex(const ReadableFile& file, const Footer& footer,
                     std::vector<MetaEntry>* entries,
                     const UnpackLimits& limits = {});

// Returns a line of the table's properties; empty: they do not have it, or
// cannot be read.
std::string ReadTableProperty(const ReadableFile& file,
                              const std::vector<MetaEntry>& entries,
                              const UnpackLimits& limits,
                              std::string_view name);

// Returns how to open the whole-table filter of an entry of that name: as
// `preferred` does, if that is its policy.  Nothing: the entry is not such a
// filter, or its policy is unknown.
std::optional<FilterOpener> OpenerOfMeta(std::string_view meta_name,
                                         const FilterPolicy* preferred);

}  // namespace tamis
