// SPDX-License-Identifier: Apache-2.0
// table/compression.h -- compresses blocks.  A build may lack either codec.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/slice.h"
#include "tamis/status.h"
#include "tamis/store_options.h"

namespace tamis {

// The maximum size of an unpacked block.  A few bytes can claim to be
// gigabytes, or expand to that; real data hardly does.  Uncompressed blocks
// have no limit: they are there already.
struct UnpackLimits {
  // Up to this, any growth is harmless: a value of zeros is not unusual.
  static constexpr std::uint64_t kHarmlessBytes = std::uint64_t{32} << 20;

  std::uint64_t bytes = kDefaultMaxBlockBytes;
  std::uint64_t growth = kDefaultMaxBlockGrowth;

  // Returns the maximum that so many stored bytes may expand to.
  std::uint64_t MostFor(std::uint64_t stored_bytes) const noexcept;
};

UnpackLimits UnpackLimitsOf(const StoreOptions& options) noexcept;
// Returns the limits for blocks that a store with those options writes: others
// must be able to read them, so no more than both these and the default options
// allow.
UnpackLimits PackLimitsOf(const StoreOptions& options) noexcept;

// Returns true if this build supports the codec; always for Compression::kNone.
bool CanCompress(Compression codec) noexcept;

// Compresses one block after the other.  Not thread-safe.
class Compressor {
 public:
  // `zstd_level` matters to kZstd only.
  Compressor(Compression codec, int zstd_level,
             const UnpackLimits& limits = {});
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  // Sets *compressed to `raw` compressed with the returned codec, and smaller
  // by at least an eighth, as LevelDB requires; kNone: store it raw.  A block
  // that zstd shrinks beyond the limits is compressed with Snappy, which cannot
  // do so.
  Compression Compress(Slice raw, std::string* compressed);

 private:
  struct Context;

  bool IsWorthIt(Slice raw, Slice compressed) const noexcept;

  Compression codec_;
  int zstd_level_;
  UnpackLimits limits_;
  std::unique_ptr<Context> context_;
};

// Decompresses into *raw.  Takes memory according to the actual size, not to
// the claimed one.  Corruption: damaged.  NotSupported: a codec that is unknown
// or that this build lacks.  ResourceExhausted: the claimed or actual size
// exceeds the limits; nothing was allocated for the claim.  Or there is no
// memory.
Status Decompress(unsigned codec, Slice compressed, std::string* raw,
                  const UnpackLimits& limits = {});

}  // namespace tamis
