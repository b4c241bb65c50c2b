// SPDX-License-Identifier: Apache-2.0
// table/footer.h -- where the parts of a table lie: block handles, and the
// footer that every table ends with.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// What systems load a file by.  Behind a data block zeros may follow, up to the
// next multiple of that, so that the block behind them is in few pages.
inline constexpr std::uint64_t kPageBytes = 4096;
// The most zeros that a builder spends so.
inline constexpr std::uint64_t kMaxPadding = 256;

// Behind every block: its compression in one byte, and four of checksum.
inline constexpr std::size_t kBlockTrailerBytes = 5;
inline constexpr std::size_t kFooterBytes = 48;
inline constexpr std::uint64_t kTableMagic = 0xdb4775248b80fb57;
// Larger ones are nobody's: LevelDB's offsets within a block have 32 bits.
inline constexpr std::uint64_t kMaxBlockBytes = UINT32_MAX;

// Where a block lies in the file, its trailer not counted.
struct BlockHandle {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// True: the block and its trailer lie before `limit`, and it is not larger
// than a block can be.
constexpr bool LiesBefore(const BlockHandle& handle,
                          std::uint64_t limit) noexcept {
  return handle.size <= kMaxBlockBytes &&
         limit >= handle.size + kBlockTrailerBytes &&
         handle.offset <= limit - handle.size - kBlockTrailerBytes;
}

void AppendHandle(std::string* dst, const BlockHandle& handle);
// Takes it from the front of *in.  False: there is none.
bool ReadHandle(Slice* in, BlockHandle* handle) noexcept;

struct Footer {
  BlockHandle metaindex;
  BlockHandle index;
};

void AppendFooter(std::string* dst, const Footer& footer);

// `bytes` are the last kFooterBytes of a file.  Corruption: not a footer, or
// its blocks do not lie before it.
Result<Footer> ParseFooter(Slice bytes, std::uint64_t file_bytes);

}  // namespace tamis
