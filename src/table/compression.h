// SPDX-License-Identifier: Apache-2.0
// table/compression.h -- blocks made smaller.  A build may lack either codec.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/slice.h"
#include "tamis/status.h"
#include "tamis/store_options.h"

namespace tamis {

// What a block may take once it is unpacked.  A few bytes can claim to be
// gigabytes, or become so; what a table really holds hardly grows that much.
// Blocks that are stored as they are have no limit: they are there already.
struct UnpackLimits {
  // Up to this, any growth is harmless: a value of zeros is nothing unusual.
  static constexpr std::uint64_t kHarmlessBytes = std::uint64_t{32} << 20;

  std::uint64_t bytes = kDefaultMaxBlockBytes;
  std::uint64_t growth = kDefaultMaxBlockGrowth;

  // The most that so many stored bytes may become.
  std::uint64_t MostFor(std::uint64_t stored_bytes) const noexcept;
};

UnpackLimits UnpackLimitsOf(const StoreOptions& options) noexcept;
// What a store with those options writes, others must read, too: no more than
// either these or the default options allow.
UnpackLimits PackLimitsOf(const StoreOptions& options) noexcept;

// True: this build can.  Compression::kNone it always can.
bool CanCompress(Compression codec) noexcept;

// Makes blocks smaller, one after the other.  Not thread-safe.
class Compressor {
 public:
  // `zstd_level` matters to kZstd only.
  Compressor(Compression codec, int zstd_level,
             const UnpackLimits& limits = {});
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  // *compressed is `raw` by the codec returned, and smaller by an eighth at
  // least, which is LevelDB's bar; kNone: store it raw.  What zstd makes so
  // small that the limits refuse it goes to Snappy, which cannot.
  Compression Compress(Slice raw, std::string* compressed);

 private:
  struct Context;

  bool IsWorthIt(Slice raw, Slice compressed) const noexcept;

  Compression codec_;
  int zstd_level_;
  UnpackLimits limits_;
  std::unique_ptr<Context> context_;
};

// *raw becomes what was compressed.  Takes memory by what comes out of
// `compressed`, not by what is claimed in it.  Corruption: damaged.
// NotSupported: a codec that this build lacks, or that nobody knows.
// ResourceExhausted: it claims, or becomes, more than the limits allow; nothing
// was taken for the claim.  Or there is no memory.
Status Decompress(unsigned codec, Slice compressed, std::string* raw,
                  const UnpackLimits& limits = {});

}  // namespace tamis
