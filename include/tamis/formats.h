// SPDX-License-Identifier: Apache-2.0
// tamis/formats.h -- the formats this library knows and the kinds of filter in
// its own, and which format some bytes are in.

#pragma once

#include <cstdint>
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

// What a filter of some kind stores, and so what FilterInfo::set_bits and
// FilterInfo::probes count.
enum class KindStorage {
  kBits,      // bits that the probes of a key set
  kCounters,  // counters of 4 bits, each the number of probes that met it
  kSlots,     // slots for fingerprints; `probes` are the bits of one
  kColumns,   // the solution of equations, as columns of bits
  kCells,     // the same as cells; `probes` are the cells of a key
};

// A kind of filter of the tamis format: an algorithm, and what can be done with
// its filters once they are built.
struct KindEntry {
  std::string_view name;  // as in MakePolicy() and FilterInfo::kind: "fuse16"
  std::string_view summary;  // one line for people
  std::uint16_t code;        // stored in files; fuse8, fuse16, fuse32 share one
  KindStorage storage;       // what its bits are
  // Bits per key where MakePolicy() is given no size; 0: the name says it.
  double usual_bits;
  unsigned fixed_probes;  // 0: as many as are best for the size
  // FoldFilter() takes filters of this kind, which consist of units of so many
  // bits; 0: it does not.
  unsigned fold_unit;
  // Stored bits, or slots of fingerprints, for each that MakePolicy()'s
  // argument m counts; 0: no size can be fixed.
  unsigned per_m;
  bool grows;      // takes keys one by one: NewMutable(), LoadMutable()
  bool erases;     // gives them back: NewErasable(), LoadErasable()
  bool expires;    // forgets them by age: NewRotating(), LoadRotating()
  bool unbounded;  // keeps its rate however many keys come
  bool merges;     // FilterPolicy::Combine() unites filters of this kind
};

// In the order in which they should be shown; the default comes first.
TAMIS_EXPORT std::span<const KindEntry> KnownKinds() noexcept;

// The kind of that name, as FilterInfo::kind says it whatever the format; null:
// there is none.
TAMIS_EXPORT const KindEntry* FindKind(std::string_view name) noexcept;

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
