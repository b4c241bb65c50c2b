// SPDX-License-Identifier: Apache-2.0
// table/footer.h -- where the parts of a table are: block handles, and the
// footer at the end of every table.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// The unit in which systems load files.  Zeros may follow a data block, up to
// the next multiple of it, so that the next block spans fewer pages.
inline constexpr std::uint64_t kPageBytes = 4096;
// The most zeros that a builder writes after a block.
inline constexpr std::uint64_t kMaxPadding = 256;

// After every block: one byte of compression, and four of checksum.
inline constexpr std::size_t kBlockTrailerBytes = 5;
inline constexpr std::size_t kFooterBytes = 48;
inline constexpr std::uint64_t kTableMagic = 0xdb4775248b80fb57;
// No block is larger: LevelDB's offsets within a block have 32 bits.
inline constexpr std::uint64_t kMaxBlockBytes = UINT32_MAX;

// Where a block is in the file, without its trailer.
struct BlockHandle {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// Returns true if the block and its trailer are before `limit`, and it is not
// larger than a block can be.
constexpr bool LiesBefore(const BlockHandle& handle,
                          std::uint64_t limit) noexcept {
  return handle.size <= kMaxBlockBytes &&
         limit >= handle.size + kBlockTrailerBytes &&
         handle.offset <= limit - handle.size - kBlockTrailerBytes;
}

void AppendHandle(std::string* dst, const BlockHandle& handle);
// Reads a handle from the front of *in.  False: there is none.
bool ReadHandle(Slice* in, BlockHandle* handle) noexcept;

struct Footer {
  BlockHandle metaindex;
  BlockHandle index;
};

void AppendFooter(std::string* dst, const Footer& footer);

// `bytes` are the last kFooterBytes of a file.  Corruption: not a footer, or
// its blocks are not before it.
Result<Footer> ParseFooter(Slice bytes, std::uint64_t file_bytes);

}  // namespace tamis
