// SPDX-License-Identifier: Apache-2.0
// tamis/spread.h -- one filter as several smaller ones, so that several places
// can have it: nodes of a cluster, say.  A key is in one of the parts, which
// its hash tells, and the part answers as the whole filter does.  The parts are
// .tamis files themselves; docs/formats/redis-parts.md has the rule, so that
// any program can follow it.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/filter.h"

namespace tamis {

// Which of the parts a key is in.
struct FilterSpread {
  // There are never more parts.
  static constexpr std::uint64_t kMaxParts = 16384;

  std::uint64_t parts = 1;   // how many there are
  std::uint64_t blocks = 1;  // of the whole filter; a multiple of `parts`
  std::uint64_t seed = 0;    // of the hash of keys

  // Less than `parts`.
  TAMIS_EXPORT std::uint64_t PartOf(Slice key) const noexcept;

  // Equal spreads put every key into the same part.
  bool operator==(const FilterSpread&) const = default;
};

// Makes the parts of a filter: of a cache-local or split-block filter of the
// .tamis format as many as divide the number of its blocks; of other kinds one,
// which is the file itself.
class FilterSplitter {
 public:
  // With `parts` = 0 there are as few as possible of at most `max_part_bytes`
  // each.  InvalidArgument: the number of parts is not possible, and the
  // message tells what is.  Corruption: damaged, or not a .tamis file.
  // REQUIRES: `filter` outlives the splitter, unchanged
  TAMIS_EXPORT static Result<FilterSplitter> Open(Slice filter,
                                                  std::uint64_t parts,
                                                  std::uint64_t max_part_bytes);

  // How the keys are divided.
  const FilterSpread& spread() const noexcept { return spread_; }
  // The first 64 bytes of the file, which a FilterJoiner needs.
  Slice header() const noexcept { return filter_.substr(0, 64); }

  // Appends the file of a part.  On error *dst is as it was.
  // REQUIRES: part < spread().parts
  TAMIS_EXPORT Status AppendPart(std::uint64_t part, std::string* dst) const;

 private:
  Slice filter_;
  FilterSpread spread_;
};

// Makes the whole filter of its parts again, byte for byte.
class FilterJoiner {
 public:
  // Corruption: that header has no such parts.
  TAMIS_EXPORT static Result<FilterJoiner> Open(Slice header,
                                                const FilterSpread& spread);

  // Takes the file of a part, in any order.  Corruption: it is damaged, or is
  // not that part.
  TAMIS_EXPORT Status Add(std::uint64_t part, Slice file);

  // Appends the whole filter, whose checksums are right.  Corruption: a part is
  // missing, or parts are of different filters.  It is called once.
  TAMIS_EXPORT Status Finish(std::string* dst);

 private:
  std::string header_;
  FilterSpread spread_;
  std::string whole_;
  std::vector<bool> added_;
};

}  // namespace tamis
