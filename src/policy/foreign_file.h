// SPDX-License-Identifier: Apache-2.0
// policy/foreign_file.h -- bytes that people take for a filter, by mistake.

#pragma once

#include <string_view>

#include "tamis/slice.h"

namespace tamis {

// The one among them that has filters inside which this library finds.
inline constexpr std::string_view kParquetFile = "a Parquet file";

// "a LevelDB table", "gzip data", "text", ...; empty if the bytes are none of
// the well-known things that are not a filter.
std::string_view NameForeignFile(Slice bytes) noexcept;

// What the file is in a store, LevelDB's, RocksDB's or ours, by its name (the
// last part of a path): "the manifest of a store"; empty: it is not named so.
// `is_text`: it is text, of which logs of other programs are made, too.
std::string_view NameStoreFile(std::string_view file_name,
                               bool is_text) noexcept;

}  // namespace tamis
