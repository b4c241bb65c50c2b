// SPDX-License-Identifier: Apache-2.0
#include "sstable/codecs.h"

#include <algorithm>
#include <climits>
#include <memory>

#if defined(TAMIS_HAVE_LZ4)
#include <lz4.h>
#endif
#if defined(TAMIS_HAVE_ZLIB)
#include <zlib.h>
#endif
#if defined(TAMIS_HAVE_ZSTD)
#include <zstd.h>
#endif

#include "table/compression.h"

namespace tamis {
namespace {

Status Damaged(BlockCodec codec) {
  return Status::Corruption("it is not what " +
                            std::string(NameOfCodec(codec)) + " wrote");
}

// Ok if so many bytes may be allocated for what is stored in fewer.
Status CheckClaim(Slice compressed, std::uint64_t claimed,
                  std::uint64_t most_growth) {
  // An empty result may be stored in a byte or two.
  if (claimed / most_growth > compressed.size()) {
    return Status::Corruption("its " + std::to_string(compressed.size()) +
                              " bytes cannot expand to the claimed " +
                              std::to_string(claimed));
  }
  if (claimed > UnpackLimits().MostFor(compressed.size())) {
    return Status::ResourceExhausted("it would expand to " +
                                     std::to_string(claimed) +
                                     " bytes, more than blocks have");
  }
  return Status::Ok();
}

#if defined(TAMIS_HAVE_LZ4)
constexpr bool kHasLz4 = true;

Status DecompressLz4(Slice compressed, const Uncompressed& claim,
                     std::string* raw) {
  constexpr std::uint64_t kMaxGrowth = 255;  // a byte of length adds as much
  Status fits = CheckClaim(compressed, claim.bytes, kMaxGrowth);
  if (!fits.ok()) return fits;
  if (compressed.size() > INT_MAX || claim.bytes > INT_MAX ||
      claim.dictionary.size() > INT_MAX) {
    return Damaged(BlockCodec::kLz4);
  }
  raw->resize(static_cast<std::size_t>(claim.bytes));
  const int size = LZ4_decompress_safe_usingDict(
      compressed.data(), raw->data(), static_cast<int>(compressed.size()),
      static_cast<int>(raw->size()), claim.dictionary.data(),
      static_cast<int>(claim.dictionary.size()));
  if (size < 0 || static_cast<std::uint64_t>(size) != claim.bytes) {
    return Damaged(BlockCodec::kLz4);
  }
  return Status::Ok();
}
#else
constexpr bool kHasLz4 = false;

Status DecompressLz4(Slice /*compressed*/, const Uncompressed& /*claim*/,
                     std::string* /*raw*/) {
  return Status::NotSupported(
      "it is compressed by LZ4, which this build lacks");
}
#endif

#if defined(TAMIS_HAVE_ZLIB)
constexpr bool kHasZlib = true;

// An inflating stream that ends itself.
class Inflater {
 public:
  explicit Inflater(int window_bits) noexcept
      : is_ready_(inflateInit2(&stream_, window_bits) == Z_OK) {}
  ~Inflater() {
    if (is_ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  bool is_ready() const noexcept { return is_ready_; }
  z_stream& stream() noexcept { return stream_; }

 private:
  z_stream stream_ = {};
  bool is_ready_;
};

Bytef* BytesOf(Slice bytes) noexcept {
  // zlib's interface is older than const.
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

// A negative number of window bits means no header.
Status Inflate(int window_bits, Slice compressed, const Uncompressed& claim,
               std::string* raw) {
  constexpr std::uint64_t kMaxGrowth = 1032;
  Status fits = CheckClaim(compressed, claim.bytes, kMaxGrowth);
  if (!fits.ok()) return fits;
  if (compressed.size() > UINT_MAX || claim.bytes >= UINT_MAX) {
    return Damaged(BlockCodec::kZlib);
  }
  Inflater inflater(window_bits);
  if (!inflater.is_ready()) {
    return Status::ResourceExhausted("no memory to decompress it");
  }
  z_stream& stream = inflater.stream();
  if (!claim.dictionary.empty() &&
      inflateSetDictionary(&stream, BytesOf(claim.dictionary),
                           static_cast<uInt>(claim.dictionary.size())) !=
          Z_OK) {
    return Damaged(BlockCodec::kZlib);
  }
  // One byte more shows that it is too long.
  raw->resize(static_cast<std::size_t>(claim.bytes) + 1);
  stream.next_in = BytesOf(compressed);
  stream.avail_in = static_cast<uInt>(compressed.size());
  stream.next_out = reinterpret_cast<Bytef*>(raw->data());
  stream.avail_out = static_cast<uInt>(raw->size());
  const int ended = inflate(&stream, Z_FINISH);
  const std::size_t size = raw->size() - stream.avail_out;
  raw->resize(std::min<std::size_t>(size, claim.bytes));
  return ended == Z_STREAM_END && size == claim.bytes
             ? Status::Ok()
             : Damaged(BlockCodec::kZlib);
}
#else
constexpr bool kHasZlib = false;

Status Inflate(int /*window_bits*/, Slice /*compressed*/,
               const Uncompressed& /*claim*/, std::string* /*raw*/) {
  return Status::NotSupported(
      "it is compressed by zlib, which this build lacks");
}
#endif

#if defined(TAMIS_HAVE_ZSTD)
// With a dictionary; without one, Decompress() of table/compression.h does it.
Status DecompressZstdWith(Slice compressed, const Uncompressed& claim,
                          std::string* raw) {
  constexpr std::uint64_t kMaxGrowth = std::uint64_t{1} << 17;  // of a run
  Status fits = CheckClaim(compressed, claim.bytes, kMaxGrowth);
  if (!fits.ok()) return fits;
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> reader(
      ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (reader == nullptr) {
    return Status::ResourceExhausted("no memory to decompress it");
  }
  raw->resize(static_cast<std::size_t>(claim.bytes));
  const std::size_t size = ZSTD_decompress_usingDict(
      reader.get(), raw->data(), raw->size(), compressed.data(),
      compressed.size(), claim.dictionary.data(), claim.dictionary.size());
  return ZSTD_isError(size) == 0 && size == claim.bytes
             ? Status::Ok()
             : Damaged(BlockCodec::kZstd);
}
#else
Status DecompressZstdWith(Slice /*compressed*/, const Uncompressed& /*claim*/,
                          std::string* /*raw*/) {
  return Status::NotSupported(
      "it is compressed by Zstandard, which this build lacks");
}
#endif

Status DecompressOwn(Compression codec, Slice compressed,
                     const Uncompressed& claim, std::string* raw) {
  Status done = Decompress(static_cast<unsigned>(codec), compressed, raw);
  if (done.ok() && claim.bytes != 0 && raw->size() != claim.bytes) {
    return Status::Corruption("it expands to another size than claimed");
  }
  return done;
}

}  // namespace

std::string_view NameOfCodec(BlockCodec codec) noexcept {
  switch (codec) {
    case BlockCodec::kSnappy:
      return "Snappy";
    case BlockCodec::kRawDeflate:
    case BlockCodec::kZlib:
      return "zlib";
    case BlockCodec::kLz4:
      return "LZ4";
    case BlockCodec::kZstd:
      break;
  }
  return "Zstandard";
}

bool HasCodec(BlockCodec codec) noexcept {
  switch (codec) {
    case BlockCodec::kSnappy:
      return CanCompress(Compression::kSnappy);
    case BlockCodec::kRawDeflate:
    case BlockCodec::kZlib:
      return kHasZlib;
    case BlockCodec::kLz4:
      return kHasLz4;
    case BlockCodec::kZstd:
      break;
  }
  return CanCompress(Compression::kZstd);
}

Status DecompressBlock(BlockCodec codec, Slice compressed,
                       const Uncompressed& claim, std::string* raw) {
  constexpr int kRawWindow = -14;  // RocksDB's
  constexpr int kZlibWindow = 15;
  switch (codec) {
    case BlockCodec::kSnappy:
      return DecompressOwn(Compression::kSnappy, compressed, claim, raw);
    case BlockCodec::kRawDeflate:
      return Inflate(kRawWindow, compressed, claim, raw);
    case BlockCodec::kZlib:
      return Inflate(kZlibWindow, compressed, claim, raw);
    case BlockCodec::kLz4:
      return DecompressLz4(compressed, claim, raw);
    case BlockCodec::kZstd:
      break;
  }
  return claim.dictionary.empty()
             ? DecompressOwn(Compression::kZstd, compressed, claim, raw)
             : DecompressZstdWith(compressed, claim, raw);
}

}  // namespace tamis
