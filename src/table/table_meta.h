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

// LevelDB's filter block; what it calls so, it honours.
inline constexpr std::string_view kLevelDbFilterMeta =
    "filter.leveldb.BuiltinBloomFilter2";
// Then the name of a policy: a filter of the whole table, which LevelDB passes
// over.
inline constexpr std::string_view kWholeFilterMeta = "tamis.filter.";

// What the table was written with, as lines (base/named_lines.h); LevelDB
// passes over it.
inline constexpr std::string_view kPropertiesMeta = "tamis.properties";
// Lines that the table itself adds: its distinct user keys; and why it lacks a
// filter that was asked for.
inline constexpr std::string_view kKeysProperty = "keys";
inline constexpr std::string_view kFilterNotBuiltProperty = "filter_not_built";
inline constexpr std::string_view kLevelDbFilterNotBuiltProperty =
    "leveldb_filter_not_built";

struct MetaEntry {
  std::string name;
  BlockHandle handle;
};

// All that the metaindex names.  Corruption: damaged.
Status ReadMetaindex(const ReadableFile& file, const Footer& footer,
                     std::vector<MetaEntry>* entries,
                     const UnpackLimits& limits = {});

// Opens the whole-table filter of an entry of that name: as `preferred` does,
// if that is its policy.  Nothing: the entry is no such filter, or its policy
// is unknown.
std::optional<FilterOpener> OpenerOfMeta(std::string_view meta_name,
                                         const FilterPolicy* preferred);

}  // namespace tamis
