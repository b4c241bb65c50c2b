// formats/tamis_from_digests.h -- .tamis filters of keys of which only the
// digests are known, for who chooses the kind late: all kinds share the hash.
// Byte for byte what the builders of these kinds make of the keys.

#pragma once

#include <cstdint>
#include <string>

#include "filters/digest_set.h"
#include "formats/tamis_fuse.h"
#include "tamis/filter.h"

namespace tamis {

// Digests, and how they came about.
struct DigestedKeys {
  DigestSet* digests;  // sealed
  std::uint64_t seed;  // of the hash
};

// Each appends the filter to *dst; on error *dst may have grown.

// The cache-local kind, of so many bits and probes.
// REQUIRES: whole lines, at least one; 1 to kMaxLineProbes probes
Status AppendTamisLines(const DigestedKeys& keys, std::uint64_t bits,
                        unsigned probes, std::string* dst);
// REQUIRES: IsRibbonColumns(columns)
Status AppendTamisRibbon(const DigestedKeys& keys, std::uint32_t columns,
                         const BuildOptions& options, std::string* dst);
// REQUIRES: there are such cells
Status AppendTamisFuse(const DigestedKeys& keys, const FuseSettings& settings,
                       const BuildOptions& options, std::string* dst);

}  // namespace tamis
