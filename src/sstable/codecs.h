// SPDX-License-Identifier: Apache-2.0
// sstable/codecs.h -- decompresses blocks of RocksDB and chunks of Cassandra,
// whose framing the callers know.  A build may lack some of the codecs.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

enum class BlockCodec { kSnappy, kRawDeflate, kZlib, kLz4, kZstd };

// "Snappy", "zlib", "LZ4", "Zstandard".
std::string_view NameOfCodec(BlockCodec codec) noexcept;

// True if this build has it.
bool HasCodec(BlockCodec codec) noexcept;

// What the framing around the compressed bytes says.
struct Uncompressed {
  // The claimed size.  Snappy states it itself, and Zstandard may.
  std::uint64_t bytes = 0;
  Slice dictionary;  // empty: there is none
};

// Sets *raw to the decompressed bytes.  Memory is taken in proportion to the
// compressed bytes, or to what they actually expand to.  Corruption: damaged,
// or not of the claimed size.  NotSupported: this build lacks the codec.
// ResourceExhausted: they expand beyond what any block needs, or no memory.
Status DecompressBlock(BlockCodec codec, Slice compressed,
                       const Uncompressed& claim, std::string* raw);

}  // namespace tamis
