// SPDX-License-Identifier: Apache-2.0
// table/block_file.h -- blocks as stored in a file, each with a trailer: the
// compression in one byte, then the checksum of block and byte.

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

// The memory of a block that is not a view of the file's mapping.  May be
// reused for the next block, which invalidates the one before.
struct BlockBuffer {
  std::string stored;
  std::string raw;
  std::shared_ptr<const std::string> cached;

  // The block is a view of the file's mapping: check TableBlocks::faulted()
  // after its bytes were used.
  bool is_mapped = false;
  // What was made readable last, for blocks that are read one after the other.
  std::uint64_t readable_from = 0;
  std::uint64_t readable_to = 0;
};

// REQUIRES: the handle is within the file
Status ReadStored(const ReadableFile& file, const BlockHandle& handle,
                  std::string* scratch, StoredBlock* block);

// Sets *contents to the block, verified and decompressed.  Corruption: also for
// a handle that is outside the file.  ResourceExhausted: see Decompress().
Status ReadBlock(const ReadableFile& file, const BlockHandle& handle,
                 BlockBuffer* buffer, Slice* contents,
                 const UnpackLimits& limits = {});

// Prepends the name of the file to the message, unless it is there already.
Status AboutFile(const std::string& name, const Status& status);

// Reads the footer of the file, which locates the rest.
Result<Footer> ReadFooter(const ReadableFile& file);

}  // namespace tamis
