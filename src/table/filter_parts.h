// SPDX-License-Identifier: Apache-2.0
// table/filter_parts.h -- a cache-local filter that is stored in parts: its
// lines, as one run of parts of equal size, and a top block that describes them
// and has the checksum of each.  docs/formats/filter-parts.md is the format.
//
// The parts are consecutive lines, and a hash chooses its line: so a hash
// chooses its part, too, before anything is read.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/tamis/line_view.h"
#include "tamis/env.h"
#include "tamis/result.h"

namespace tamis {

// A part that is written is as large as a page, the unit in which systems load
// files; none is larger (docs/design/11-parts.md).
inline constexpr std::uint32_t kLinesPerPart = 64;
inline constexpr std::size_t kPartBytes = kLinesPerPart * kLineBytes;

// What a top block says, checked.  A view of its bytes.
struct FilterPartsTop {
  std::uint64_t seed = 0;
  std::uint64_t keys = 0;  // 0: unknown
  std::uint64_t lines = 0;
  unsigned probes = 0;
  std::uint32_t lines_per_part = kLinesPerPart;
  std::uint64_t offset = 0;  // of the first part, in the file
  Slice checksums;           // masked, four bytes for each part

  std::uint64_t part_count() const noexcept { return checksums.size() / 4; }
  std::uint64_t bytes() const noexcept { return lines * kLineBytes; }

  // REQUIRES, for all of these: part < part_count()
  std::uint64_t OffsetOf(std::uint64_t part) const noexcept {
    return offset + part * lines_per_part * kLineBytes;
  }
  // The last part may be smaller than the others.
  std::size_t SizeOf(std::uint64_t part) const noexcept {
    const std::uint64_t left = lines - part * lines_per_part;
    return static_cast<std::size_t>(
               std::min<std::uint64_t>(left, lines_per_part)) *
           kLineBytes;
  }
  // False: these are not the bytes that were written as that part.
  bool IsPart(std::uint64_t part, Slice bytes) const noexcept;
};

// Appends the top block of a filter whose lines are at `offset` of the file.
// REQUIRES: 1 to kLinesPerPart lines per part
void AppendPartsTop(std::string* dst, const LineView& lines,
                    std::uint64_t offset,
                    std::uint32_t lines_per_part = kLinesPerPart);

// Corruption: not a top block, or its parts are not within the file.
// REQUIRES: `bytes` outlive the result
Result<FilterPartsTop> ParsePartsTop(Slice bytes, std::uint64_t file_bytes);

// Reads the lines of all parts into the memory at `lines`, and returns how many
// parts are damaged: in their place are lines that say "maybe" to every key.
// An error: nothing is known of the parts, for lack of memory or the like.
// REQUIRES: top.bytes() bytes there
Result<std::uint64_t> ReadAllParts(const FilterPartsTop& top,
                                   const ReadableFile& file,
                                   unsigned char* lines);

}  // namespace tamis
