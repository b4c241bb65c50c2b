// SPDX-License-Identifier: Apache-2.0
// tamis/formats.h -- the formats that this library supports, the kinds of
// filter in its own format, and recognition of a file's format.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/export.h"
#include "tamis/filter.h"

namespace tamis {

// A format that MakePolicy() supports.
struct FormatEntry {
  std::string_view name;     // what MakePolicy() takes: "leveldb"
  std::string_view summary;  // one line for people
  std::string_view suffix;   // the usual file name suffix: ".tamis"
  bool has_checksum;         // false: some damage goes undetected
  bool sized_by_whole_bits;  // bits per key are rounded up to an integer
};

// In the order in which they should be shown; the default comes first.
TAMIS_EXPORT std::span<const FormatEntry> KnownFormats() noexcept;

// What a filter of some kind stores, and so what FilterInfo::set_bits and
// FilterInfo::probes count.
enum class KindStorage {
  kBits,      // bits that the probes of a key set
  kCounters,  // 4-bit counters, each of the probes that hit it
  kSlots,     // slots for fingerprints of `probes` bits
  kColumns,   // the solution of linear equations, as columns of bits
  kCells,     // the same as cells; a key has `probes` cells
  kCodes,     // the places of keys in their order
};

// A kind of filter of the tamis format: an algorithm, and what can be done with
// its filters once they are built.
struct KindEntry {
  std::string_view name;  // as in MakePolicy() and FilterInfo::kind: "fuse16"
  std::string_view summary;  // one line for people
  std::uint16_t code;        // stored in files; fuse8, fuse16, fuse32 share one
  KindStorage storage;       // what its bits are
  // Bits per key if the spec has no size; 0: the kind's name implies it.
  double usual_bits;
  unsigned fixed_probes;  // 0: the optimum for the size
  // FoldFilter() accepts filters of this kind, which consist of units of so
  // many bits; 0: it does not.
  unsigned fold_unit;
  // Stored bits, or slots, per unit of MakePolicy()'s argument m; 0: this kind
  // cannot have a fixed size.
  unsigned per_m;
  bool grows;      // takes keys one by one: NewMutable(), LoadMutable()
  bool erases;     // erases single keys: NewErasable(), LoadErasable()
  bool expires;    // drops keys by age: NewRotating(), LoadRotating()
  bool unbounded;  // keeps its rate with any number of keys
  bool merges;     // FilterPolicy::Combine() unites filters of this kind
  bool ranges;     // FilterReader::MayContainRange() rules ranges out
};

// In the order in which they should be shown; the default comes first.
TAMIS_EXPORT std::span<const KindEntry> KnownKinds() noexcept;

// Returns the kind of that name, as in FilterInfo::kind of any format, or null
// if there is none.
TAMIS_EXPORT const KindEntry* FindKind(std::string_view name) noexcept;

// How sure RecogniseFormat() is.
enum class Certainty {
  kUnknown,  // no format fits
  kGuess,    // it fits, but others may fit, too: do not answer queries by it
  kCertain,  // nothing else can look like this
};

// The result of RecogniseFormat().
struct RecognisedFormat {
  Certainty certainty = Certainty::kUnknown;  // of `spec`
  std::string spec;    // for MakePolicy(): "cassandra:nb"; empty if unknown
  std::string reason;  // "its magic number", "its length fits its header"
  std::vector<std::string> alternatives;  // other specs that fit as well
  // Not empty: the bytes are certainly not a filter but, whatever the file's
  // name, this: "a LevelDB table", "gzip data", "text".
  std::string not_a_filter;
  // Not empty: a file that contains filters: "a Parquet file", for
  // FindParquetFilters() of tamis/parquet.h.  The format is then unknown.
  std::string holds_filters;
  // Not empty: by its name a file of a store, which is not taken for a filter
  // even if its length happens to fit one: "the manifest of a store".  The
  // format is then unknown.
  std::string store_file = {};
};

// Recognises a format by the file's name (the last part of a path, or "") and
// bytes.  Never reads beyond `bytes`.  Takes constant time, except to check the
// offsets of a possible LevelDB filter block.
TAMIS_EXPORT RecognisedFormat RecogniseFormat(std::string_view file_name,
                                              Slice bytes);

}  // namespace tamis
