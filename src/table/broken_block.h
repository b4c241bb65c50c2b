// SPDX-License-Identifier: Apache-2.0
// table/broken_block.h -- how far a block without an end reaches at least.
//
// A block that is cut off or damaged is not known by its checksum.  But if it
// is not compressed, it tells from its beginning how long each entry is.  What
// lies in a value may itself look like a block, and is none of the table's.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "tamis/slice.h"

namespace tamis {

// The file's bytes from `offset`: `wanted` or more, unless it ends before.
using BytesAt = std::function<Slice(std::uint64_t offset, std::size_t wanted)>;

// As long as a file is, and as it was once, at most.
struct FileLengths {
  std::uint64_t now = 0;
  std::uint64_t once = 0;
};

// Behind the last entry, of those that follow each other from `begin` on, whose
// length can be believed; `begin`, if there is none.  A length is believed
// unless what lies behind it is there and neither an entry, nor the end of a
// block, nor zeros as for bytes that are lost.  Takes time in proportion to the
// entries.
std::uint64_t EndOfEntries(const BytesAt& bytes_at, std::uint64_t begin,
                           const FileLengths& lengths);

}  // namespace tamis
