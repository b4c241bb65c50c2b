// SPDX-License-Identifier: Apache-2.0
// sstable/level_listing.h -- lists the tables of a directory of LevelDB or
// RocksDB, with their levels.

#pragma once

#include <string_view>

#include "sstable/engine.h"

namespace tamis {

// Adds the files named NUMBER.ldb or NUMBER.sst that the engine recognises.
// Levels come from the manifest, if there is one.
void ListLevels(const DirectoryFiles& files, std::string_view engine,
                bool (*recognises)(std::string_view, Slice),
                SstableListing* listing);

// True if that is the name of a table.
bool IsLevelTableName(std::string_view name) noexcept;

}  // namespace tamis
