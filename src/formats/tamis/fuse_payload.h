// SPDX-License-Identifier: Apache-2.0
// formats/tamis/fuse_payload.h -- the payload of a binary fuse filter: a
// directory, then one part after the other.  See docs/formats/tamis-fuse.md

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/coding.h"
#include "filters/fuse/binary_fuse_build.h"
#include "formats/tamis/fuse.h"
#include "math/fast_range.h"
#include "math/fuse_sizing.h"
#include "sort/hash_set.h"

namespace tamis {

// Parts cover ascending ranges of hashes.  Within its part, a hash has a
// position: 64 bits again, in the same order.
constexpr std::uint64_t FusePartOf(std::uint64_t hash,
                                   std::uint64_t parts) noexcept {
  return FastRange(hash, parts);
}
constexpr std::uint64_t FusePositionOf(std::uint64_t hash,
                                       std::uint64_t parts) noexcept {
  return hash * parts;
}

// An entry of the directory: its length, and the offsets within it.
inline constexpr std::size_t kFuseEntryBytes = 16;
inline constexpr std::size_t kFuseSeedAt = 0;  // a list: its length
inline constexpr std::size_t kFuseStartsAt = 8;
inline constexpr std::size_t kFuseTypeAt = 12;
inline constexpr std::size_t kFuseSegmentBitsAt = 13;
inline constexpr std::size_t kFuseReservedAt = 14;

enum class FuseType : unsigned char { kCells = 1, kList = 2 };

// A decoded entry, and where its part is.
struct FusePart {
  const unsigned char* content = nullptr;
  FuseType type = FuseType::kCells;
  std::uint64_t listed = 0;  // a list: so many hashes, ascending
  FuseShape shape;           // cells
  std::uint64_t seed = 0;

  bool is_list() const noexcept { return type == FuseType::kList; }
};

// Decodes the entry, unchecked.  REQUIRES: kFuseEntryBytes at `entry`
inline FusePart DecodeFuseEntry(const char* entry) noexcept {
  const std::uint64_t word = LoadLittle64(entry + kFuseSeedAt);
  FusePart part;
  part.type = static_cast<FuseType>(entry[kFuseTypeAt]);
  part.listed = part.is_list() ? word : 0;
  part.seed = word;
  part.shape.starts = LoadLittle32(entry + kFuseStartsAt);
  part.shape.segment_bits =
      static_cast<unsigned char>(entry[kFuseSegmentBitsAt]);
  return part;
}

// A payload whose directory was checked.  Entries are decoded as needed, so
// this always takes less memory than the payload.
struct FuseDirectory {
  Slice payload;
  std::vector<std::uint64_t> offsets;  // of the parts, in the payload
  std::string always_maybe;  // not empty: reserved; do not probe (says why)

  FusePart PartAt(std::size_t i) const noexcept {
    FusePart part = DecodeFuseEntry(payload.data() + i * kFuseEntryBytes);
    part.content =
        reinterpret_cast<const unsigned char*>(payload.data() + offsets[i]);
    return part;
  }
};

// Parses the directory, and checks that everything that a probe can touch is
// within the payload.  Corruption: the parts do not make up the payload, or a
// list is not sorted.
// ResourceExhausted: no memory for the directory.
Result<FuseDirectory> ParseFuseParts(Slice payload, std::uint64_t parts,
                                     const FuseSettings& settings);

// Returns whether the hash is in the list.  REQUIRES: part.is_list()
bool FuseListHas(const FusePart& part, std::uint64_t hash) noexcept;

struct FuseBuild {
  FuseSettings settings;
  std::function<void(double)> progress;  // of the solving, from 0 to 1
  unsigned threads = 1;                  // to allocate memory
  // Other values than these are for tests.
  std::uint64_t part_keys = kMaxFusePartKeys;
  unsigned most_attempts = kMaxFuseAttempts;
};

// Appends the payload to *dst; on error *dst is as it was.  It depends only on
// the set and the settings.  REQUIRES: the hashes are sealed
Status AppendFusePayload(KeyHashSet* hashes, const FuseBuild& build,
                         std::string* dst);

}  // namespace tamis
