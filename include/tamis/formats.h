// tamis/formats.h -- the formats this library knows, and which of them some
// bytes are in.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/export.h"
#include "tamis/filter.h"

namespace tamis {

// A format that MakePolicy() knows.
struct FormatEntry {
  std::string_view name;     // what MakePolicy() takes: "leveldb"
  std::string_view summary;  // one line for people
  std::string_view suffix;   // how files of it end by custom: ".tamis"
  bool has_checksum;         // false: some damage cannot be noticed
  bool sized_by_whole_bits;  // bits per key are rounded up to an integer
};

// In the order in which they should be shown; the default comes first.
TAMIS_EXPORT std::span<const FormatEntry> KnownFormats() noexcept;

// How sure RecogniseFormat() is.
enum class Certainty {
  kUnknown,  // nothing fits
  kGuess,    // it fits, but so may others: do not answer queries by it
  kCertain,  // nothing else can look like this
};

// What RecogniseFormat() makes of a name and some bytes.
struct RecognisedFormat {
  Certainty certainty = Certainty::kUnknown;  // of `spec`
  std::string spec;    // for MakePolicy(): "cassandra:nb"; empty if unknown
  std::string reason;  // "its magic number", "its length fits its header"
  std::vector<std::string> alternatives;  // other specs that fit as well
  // Not empty: what the bytes certainly are instead of a filter, whatever the
  // file's name: "a LevelDB table", "gzip data", "text".
  std::string not_a_filter;
  // Not empty: no bare filter, but a file that has filters inside: "a Parquet
  // file", for FindParquetFilters() of tamis/parquet.h.  Unknown otherwise.
  std::string holds_filters;
  // Not empty: by its name a file of a store, which is not taken for a filter
  // because its length happens to fit one: "the manifest of a store".
  // Unknown otherwise.
  std::string store_file = {};
};

// Tells by a file's name (the last part of a path, or "") and its bytes.
// Never reads beyond `bytes`; takes constant time, but for the offsets of what
// may be a LevelDB filter block.
TAMIS_EXPORT RecognisedFormat RecogniseFormat(std::string_view file_name,
                                              Slice bytes);

}  // namespace tamis
