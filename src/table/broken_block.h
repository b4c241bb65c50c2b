// SPDX-License-Identifier: Apache-2.0
// table/broken_block.h -- a lower bound on the length of a block without an
// end.
//
// A truncated or damaged block cannot be recognised by its checksum.  But if it
// is not compressed, each entry states its length.  The bytes of a value may
// look like a block, but are not a block of the table.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "tamis/slice.h"

namespace tamis {

// Returns the file's bytes from `offset`: `wanted` or more, unless it ends
// before.
using BytesAt = std::function<Slice(std::uint64_t offset, std::size_t wanted)>;

// The current length of a file, and an upper bound on the original one.
struct FileLengths {
  std::uint64_t now = 0;
  std::uint64_t once = 0;
};

// Returns the end of the last of the consecutive entries from `begin` on whose
// length is plausible; `begin` if there is none.  A length is plausible if it
// is followed by an entry, the end of a block, zeros in place of lost bytes, or
// the end of the file.  Takes time in proportion to the entries.
std::uint64_t EndOfEntries(const BytesAt& bytes_at, std::uint64_t begin,
                           const FileLengths& lengths);

}  // namespace tamis
