// SPDX-License-Identifier: Apache-2.0
// table/block_file.h -- blocks as they lie in a file, with the trailer behind
// each: the compression in one byte, then the checksum of block and byte.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/coding.h"
#include "base/crc32c.h"
#include "table/compression.h"
#include "table/footer.h"
#include "tamis/env.h"
#include "tamis/slice.h"

namespace tamis {

// Appends the trailer to a block.
void AppendBlockTrailer(std::string* block, Compression compression);

// A block and its trailer.
struct StoredBlock {
  Slice bytes;  // with the trailer

  Slice contents() const noexcept {
    return bytes.substr(0, bytes.size() - kBlockTrailerBytes);
  }
  unsigned codec() const noexcept {
    return static_cast<unsigned char>(bytes[bytes.size() - kBlockTrailerBytes]);
  }
  bool ChecksumHolds() const noexcept {
    const Slice covered = bytes.substr(0, bytes.size() - 4);
    return UnmaskCrc32c(LoadLittle32(covered.data() + covered.size())) ==
           Crc32c(covered);
  }
};

// What a block's bytes may lie in, if not in the file's own memory.  To be
// used again for the next block, which ends the life of the one before.
struct BlockBuffer {
  std::string stored;
  std::string raw;
  std::shared_ptr<const std::string> cached;

  // The block is a view of the file's mapping: ask TableBlocks::faulted() after
  // its bytes were used.
  bool is_mapped = false;
  // What was made readable last, for blocks that are read one after the other.
  std::uint64_t readable_from = 0;
  std::uint64_t readable_to = 0;
};

// REQUIRES: the handle lies before the file's end
Status ReadStored(const ReadableFile& file, const BlockHandle& handle,
                  std::string* scratch, StoredBlock* block);

// *contents is the block, verified and decompressed.  Corruption: also a
// handle that lies outside the file.  ResourceExhausted: see Decompress().
Status ReadBlock(const ReadableFile& file, const BlockHandle& handle,
                 BlockBuffer* buffer, Slice* contents,
                 const UnpackLimits& limits = {});

// The same with the name of the file before it; no message has it twice.
Status AboutFile(const std::string& name, const Status& status);

// The footer of the file, which says where the rest is.
Result<Footer> ReadFooter(const ReadableFile& file);

}  // namespace tamis
