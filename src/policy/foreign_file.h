// SPDX-License-Identifier: Apache-2.0
// policy/foreign_file.h -- recognises files that are often mistaken for a
// filter.

#pragma once

#include <string_view>

#include "tamis/slice.h"

namespace tamis {

// The one that contains filters that this library can find.
inline constexpr std::string_view kParquetFile = "a Parquet file";

// Returns "a LevelDB table", "gzip data", "text", ...; empty if the bytes are
// no well-known file type.
std::string_view NameForeignFile(Slice bytes) noexcept;

// Returns what a file of that name (the last part of a path) is in a store of
// LevelDB, RocksDB or ours: "the manifest of a store"; empty: no such name.
// `is_text`: the file is text, and may be a log of another program.
std::string_view NameStoreFile(std::string_view file_name,
                               bool is_text) noexcept;

}  // namespace tamis
