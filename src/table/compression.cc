#include "table/compression.h"

#include <algorithm>
#include <cstdint>

#if defined(TAMIS_HAVE_SNAPPY)
#include <snappy.h>
#endif
#if defined(TAMIS_HAVE_ZSTD)
#include <zstd.h>
#endif

#include "table/footer.h"

namespace tamis {
namespace {

#if defined(TAMIS_HAVE_SNAPPY)
constexpr bool kHasSnappy = true;

void CompressSnappy(Slice raw, std::string* compressed) {
  compressed->resize(snappy::MaxCompressedLength(raw.size()));
  std::size_t size = 0;
  snappy::RawCompress(raw.data(), raw.size(), compressed->data(), &size);
  compressed->resize(size);
}

Status DecompressSnappy(Slice compressed, std::string* raw) {
  // Three bytes give 64 at most, so whoever claims more is damaged.
  constexpr std::size_t kMostGrowth = 22;
  std::size_t size = 0;
  if (!snappy::GetUncompressedLength(compressed.data(), compressed.size(),
                                     &size) ||
      size / kMostGrowth > compressed.size()) {
    return Status::Corruption("a block's Snappy length is wrong");
  }
  raw->resize(size);
  if (!snappy::RawUncompress(compressed.data(), compressed.size(),
                             raw->data())) {
    return Status::Corruption("a block is not what Snappy wrote");
  }
  return Status::Ok();
}
#else
constexpr bool kHasSnappy = false;

void CompressSnappy(Slice /*raw*/, std::string* /*compressed*/) {}
Status DecompressSnappy(Slice /*compressed*/, std::string* /*raw*/) {
  return Status::NotSupported(
      "a block is compressed by Snappy, which this build lacks");
}
#endif

#if defined(TAMIS_HAVE_ZSTD)
constexpr bool kHasZstd = true;

using ZstdWriter = std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)>;
using ZstdReader = std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)>;

Status ZstdDamaged() {
  return Status::Corruption("a block is not what Zstandard wrote");
}

// What a claim about the size may make us allocate before anything came out.
std::size_t BelievedBytes(Slice compressed) noexcept {
  constexpr std::size_t kSlack = 64 << 10;
  const unsigned long long claimed =
      ZSTD_getFrameContentSize(compressed.data(), compressed.size());
  const unsigned long long bound = compressed.size() * 16ULL + kSlack;
  return static_cast<std::size_t>(std::min(claimed, bound));
}

Status DecompressZstd(Slice compressed, std::string* raw) {
  thread_local const ZstdReader reader(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (reader == nullptr) {
    return Status::ResourceExhausted("no memory to decompress a block");
  }
  ZSTD_DCtx_reset(reader.get(), ZSTD_reset_session_only);
  raw->resize(std::max<std::size_t>(BelievedBytes(compressed), 1));
  ZSTD_inBuffer in{compressed.data(), compressed.size(), 0};
  ZSTD_outBuffer out{raw->data(), raw->size(), 0};
  while (true) {
    const std::size_t left = ZSTD_decompressStream(reader.get(), &out, &in);
    if (ZSTD_isError(left) != 0) return ZstdDamaged();
    if (left == 0) break;                          // the frame is whole
    if (out.pos < out.size) return ZstdDamaged();  // it is cut off
    if (raw->size() > kMostBlockBytes / 2) return ZstdDamaged();
    raw->resize(raw->size() * 2);
    out.dst = raw->data();
    out.size = raw->size();
  }
  if (in.pos != in.size) return ZstdDamaged();
  raw->resize(out.pos);
  return Status::Ok();
}
#else
constexpr bool kHasZstd = false;

Status DecompressZstd(Slice /*compressed*/, std::string* /*raw*/) {
  return Status::NotSupported(
      "a block is compressed by Zstandard, which this build lacks");
}
#endif

}  // namespace

bool CanCompress(Compression codec) noexcept {
  if (codec == Compression::kSnappy) return kHasSnappy;
  return codec == Compression::kZstd ? kHasZstd : true;
}

#if defined(TAMIS_HAVE_ZSTD)
struct Compressor::Context {
  ZstdWriter writer{ZSTD_createCCtx(), &ZSTD_freeCCtx};

  bool Compress(Slice raw, int level, std::string* compressed) const {
    if (writer == nullptr) return false;
    compressed->resize(ZSTD_compressBound(raw.size()));
    const std::size_t size =
        ZSTD_compressCCtx(writer.get(), compressed->data(), compressed->size(),
                          raw.data(), raw.size(), level);
    if (ZSTD_isError(size) != 0) return false;
    compressed->resize(size);
    return true;
  }
};
#else
struct Compressor::Context {
  bool Compress(Slice /*raw*/, int /*level*/, std::string* /*dst*/) const {
    return false;
  }
};
#endif

Compressor::Compressor(Compression codec, int zstd_level)
    : codec_(CanCompress(codec) ? codec : Compression::kNone),
      zstd_level_(zstd_level) {
  if (codec_ == Compression::kZstd) context_ = std::make_unique<Context>();
}

Compressor::~Compressor() = default;

bool Compressor::Compress(Slice raw, std::string* compressed) {
  if (codec_ == Compression::kNone) return false;
  if (codec_ == Compression::kSnappy) {
    CompressSnappy(raw, compressed);
  } else if (!context_->Compress(raw, zstd_level_, compressed)) {
    return false;
  }
  return compressed->size() < raw.size() - raw.size() / 8;
}

Status Decompress(unsigned codec, Slice compressed, std::string* raw) {
  if (codec == static_cast<unsigned>(Compression::kSnappy)) {
    return DecompressSnappy(compressed, raw);
  }
  if (codec == static_cast<unsigned>(Compression::kZstd)) {
    return DecompressZstd(compressed, raw);
  }
  return Status::NotSupported("a block is compressed in an unknown way (" +
                              std::to_string(codec) + ")");
}

}  // namespace tamis
