// SPDX-License-Identifier: Apache-2.0
#include "table/compression.h"

#include <algorithm>
#include <cstdint>

#if defined(TAMIS_HAVE_SNAPPY)
#include <snappy.h>
#endif
#if defined(TAMIS_HAVE_ZSTD)
#include <zstd.h>

#include <zstd_errors.h>
#endif

#include "table/footer.h"

namespace tamis {
namespace {

// Returns the error for a claimed or actual size beyond the limits.
Status GrowsTooMuch(Slice compressed, std::uint64_t bytes,
                    const UnpackLimits& limits) {
  const bool is_absolute = bytes > limits.bytes;
  return Status::ResourceExhausted(
             "a block of " + std::to_string(compressed.size()) +
             " bytes would be unpacked to " + std::to_string(bytes) +
             " or more, and " +
             (is_absolute ? "max_block_bytes is " + std::to_string(limits.bytes)
                          : "max_block_growth is " +
                                std::to_string(limits.growth) + " times") +
             ": raise it if the file is to be trusted")
      .With(is_absolute ? Remedy::kRaiseMaxBlockBytes
                        : Remedy::kRaiseMaxBlockGrowth);
}

#if defined(TAMIS_HAVE_SNAPPY)
constexpr bool kHasSnappy = true;

void CompressSnappy(Slice raw, std::string* compressed) {
  compressed->resize(snappy::MaxCompressedLength(raw.size()));
  std::size_t size = 0;
  snappy::RawCompress(raw.data(), raw.size(), compressed->data(), &size);
  compressed->resize(size);
}

Status DecompressSnappy(Slice compressed, std::string* raw,
                        const UnpackLimits& limits) {
  // Three bytes expand to at most 64, so a larger claim means damage.
  constexpr std::size_t kMaxGrowth = 22;
  std::size_t size = 0;
  if (!snappy::GetUncompressedLength(compressed.data(), compressed.size(),
                                     &size) ||
      size / kMaxGrowth > compressed.size()) {
    return Status::Corruption("a block's Snappy length is wrong");
  }
  if (size > limits.MostFor(compressed.size())) {
    return GrowsTooMuch(compressed, size, limits);
  }
  // Validated without allocating, before much memory is taken.
  if (size > UnpackLimits::kHarmlessBytes &&
      !snappy::IsValidCompressedBuffer(compressed.data(), compressed.size())) {
    return Status::Corruption("a block is not what Snappy wrote");
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
Status DecompressSnappy(Slice /*compressed*/, std::string* /*raw*/,
                        const UnpackLimits& /*limits*/) {
  return Status::NotSupported(
      "a block is compressed by Snappy, which this build lacks");
}
#endif

#if defined(TAMIS_HAVE_ZSTD)
constexpr bool kHasZstd = true;

using ZstdWriter = std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)>;
using ZstdReader = std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)>;

Status ZstdFailed(std::size_t result) {
  if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) {
    return Status::ResourceExhausted("no memory to decompress a block");
  }
  return Status::Corruption("a block is not what Zstandard wrote");
}
Status ZstdDamaged() { return ZstdFailed(0); }

// Returns how much to allocate on the strength of a claimed size alone.
std::size_t BelievedBytes(Slice compressed, std::uint64_t most) noexcept {
  constexpr std::uint64_t kSlack = 64 << 10;
  return static_cast<std::size_t>(
      std::min(compressed.size() * std::uint64_t{16} + kSlack, most));
}

// A frame that does not state its size may request a window of 128 MiB; no
// block needs more than the harmless size.
constexpr int kWindowLogOfUnknown = 25;
constexpr int kWindowLogOfKnown = 27;

Status DecompressZstd(Slice compressed, std::string* raw,
                      const UnpackLimits& limits) {
  std::uint64_t most = limits.MostFor(compressed.size());
  const unsigned long long claimed =
      ZSTD_getFrameContentSize(compressed.data(), compressed.size());
  if (claimed == ZSTD_CONTENTSIZE_ERROR) return ZstdDamaged();
  const bool is_known = claimed != ZSTD_CONTENTSIZE_UNKNOWN;
  if (is_known && claimed > most) {
    return GrowsTooMuch(compressed, claimed, limits);
  }
  if (is_known) most = claimed;
  thread_local const ZstdReader reader(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (reader == nullptr) {
    return Status::ResourceExhausted("no memory to decompress a block");
  }
  ZSTD_DCtx_reset(reader.get(), ZSTD_reset_session_only);
  ZSTD_DCtx_setParameter(reader.get(), ZSTD_d_windowLogMax,
                         is_known ? kWindowLogOfKnown : kWindowLogOfUnknown);
  raw->resize(std::max<std::size_t>(BelievedBytes(compressed, most), 1));
  ZSTD_inBuffer in{compressed.data(), compressed.size(), 0};
  ZSTD_outBuffer out{raw->data(), raw->size(), 0};
  while (true) {
    const std::size_t left = ZSTD_decompressStream(reader.get(), &out, &in);
    if (ZSTD_isError(left) != 0) return ZstdFailed(left);
    if (left == 0) break;                          // the frame is complete
    if (out.pos < out.size) return ZstdDamaged();  // it is cut off
    if (raw->size() >= most) {
      return is_known ? ZstdDamaged()
                      : GrowsTooMuch(compressed, raw->size() + 1, limits);
    }
    raw->resize(static_cast<std::size_t>(
        std::min<std::uint64_t>(std::uint64_t{raw->size()} * 2, most)));
    out.dst = raw->data();
    out.size = raw->size();
  }
  if (in.pos != in.size) return ZstdDamaged();
  raw->resize(out.pos);
  return Status::Ok();
}
#else
constexpr bool kHasZstd = false;

Status DecompressZstd(Slice /*compressed*/, std::string* /*raw*/,
                      const UnpackLimits& /*limits*/) {
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

Compressor::Compressor(Compression codec, int zstd_level,
                       const UnpackLimits& limits)
    : codec_(CanCompress(codec) ? codec : Compression::kNone),
      zstd_level_(zstd_level),
      limits_(limits) {
  if (codec_ == Compression::kZstd) context_ = std::make_unique<Context>();
}

Compressor::~Compressor() = default;

bool Compressor::IsWorthIt(Slice raw, Slice compressed) const noexcept {
  return compressed.size() < raw.size() - raw.size() / 8 &&
         raw.size() <= limits_.MostFor(compressed.size());
}

Compression Compressor::Compress(Slice raw, std::string* compressed) {
  if (codec_ == Compression::kNone || raw.size() > limits_.bytes) {
    return Compression::kNone;
  }
  if (codec_ == Compression::kZstd) {
    if (!context_->Compress(raw, zstd_level_, compressed)) {
      return Compression::kNone;
    }
    if (IsWorthIt(raw, *compressed)) return Compression::kZstd;
    if (!kHasSnappy || raw.size() <= limits_.MostFor(compressed->size())) {
      return Compression::kNone;
    }
  }
  CompressSnappy(raw, compressed);
  return IsWorthIt(raw, *compressed) ? Compression::kSnappy
                                     : Compression::kNone;
}

std::uint64_t UnpackLimits::MostFor(std::uint64_t stored_bytes) const noexcept {
  const std::uint64_t limit = std::min(bytes, kMaxBlockBytes);
  const std::uint64_t grown = growth != 0 && stored_bytes > limit / growth
                                  ? limit
                                  : stored_bytes * growth;
  return std::min(std::max(grown, kHarmlessBytes), limit);
}

UnpackLimits UnpackLimitsOf(const StoreOptions& options) noexcept {
  return {.bytes = options.max_block_bytes, .growth = options.max_block_growth};
}

UnpackLimits PackLimitsOf(const StoreOptions& options) noexcept {
  const UnpackLimits defaults;
  return {.bytes = std::min(options.max_block_bytes, defaults.bytes),
          .growth = std::min(options.max_block_growth, defaults.growth)};
}

Status Decompress(unsigned codec, Slice compressed, std::string* raw,
                  const UnpackLimits& limits) {
  if (codec == static_cast<unsigned>(Compression::kSnappy)) {
    return DecompressSnappy(compressed, raw, limits);
  }
  if (codec == static_cast<unsigned>(Compression::kZstd)) {
    return DecompressZstd(compressed, raw, limits);
  }
  return Status::NotSupported("a block is compressed in an unknown way (" +
                              std::to_string(codec) + ")");
}

}  // namespace tamis
