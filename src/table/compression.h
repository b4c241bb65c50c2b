// table/compression.h -- blocks made smaller.  A build may lack either codec.

#pragma once

#include <memory>
#include <string>

#include "tamis/slice.h"
#include "tamis/status.h"
#include "tamis/store_options.h"

namespace tamis {

// True: this build can.  Compression::kNone it always can.
bool CanCompress(Compression codec) noexcept;

// Makes blocks smaller, one after the other.  Not thread-safe.
class Compressor {
 public:
  // `zstd_level` matters to kZstd only.
  Compressor(Compression codec, int zstd_level);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  Compression codec() const noexcept { return codec_; }

  // True: *compressed is `raw` by the codec, and smaller by an eighth at
  // least, which is LevelDB's bar.  False: store it raw.
  bool Compress(Slice raw, std::string* compressed);

 private:
  struct Context;

  Compression codec_;
  int zstd_level_;
  std::unique_ptr<Context> context_;
};

// *raw becomes what was compressed.  Takes memory by what comes out of
// `compressed`, not by what is claimed in it.  Corruption: damaged.
// NotSupported: a codec that this build lacks, or that nobody knows.
Status Decompress(unsigned codec, Slice compressed, std::string* raw);

}  // namespace tamis
