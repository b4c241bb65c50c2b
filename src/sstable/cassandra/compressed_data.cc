// SPDX-License-Identifier: Apache-2.0
#include "sstable/cassandra/compressed_data.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/coding.h"
#include "table/compression.h"

namespace tamis {
namespace {

constexpr std::size_t kCrcBytes = 4;

// CRC-32 as in zlib, which a build may lack.
std::uint32_t Crc32(Slice bytes) noexcept {
  static constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) {
        c = (c >> 1) ^ (c & 1 ? 0xedb88320 : 0);
      }
      table[i] = c;
    }
    return table;
  }();
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
  }
  return ~crc;
}

// Reads big-endian numbers and strings from the front of bytes.
class BigReader {
 public:
  explicit BigReader(Slice bytes) : all_(bytes.size()), rest_(bytes) {}

  template <typename T>
  bool Number(T* value) noexcept {
    if (rest_.size() < sizeof(T)) return false;
    *value = LoadBig<T>(rest_.data());
    rest_.remove_prefix(sizeof(T));
    return true;
  }
  bool Text(Slice* text) noexcept {
    std::uint16_t size;
    if (!Number(&size) || size > rest_.size()) return false;
    *text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  Slice rest() const noexcept { return rest_; }
  std::size_t offset() const noexcept { return all_ - rest_.size(); }

 private:
  std::size_t all_;
  Slice rest_;
};

Status CutOff(const BigReader& reader) {
  return Status::Corruption("offset " + std::to_string(reader.offset()) +
                            ": it is cut off");
}

// Returns nothing for a compressor that is not known.
std::optional<BlockCodec> CodecNamed(std::string_view compressor) noexcept {
  if (compressor == "SnappyCompressor") return BlockCodec::kSnappy;
  if (compressor == "LZ4Compressor") return BlockCodec::kLz4;
  if (compressor == "DeflateCompressor") return BlockCodec::kZlib;
  if (compressor == "ZstdCompressor") return BlockCodec::kZstd;
  return std::nullopt;
}

}  // namespace

Result<CassandraCompression> CassandraCompression::Parse(CassandraEra era,
                                                         Slice bytes) {
  CassandraCompression info;
  BigReader reader(bytes);
  Slice name;
  std::uint32_t options;
  if (!reader.Text(&name) || !reader.Number(&options)) return CutOff(reader);
  info.compressor = std::string(name.substr(name.rfind('.') + 1));
  for (std::uint32_t i = 0; i < options; ++i) {
    Slice ignored;
    if (!reader.Text(&ignored) || !reader.Text(&ignored)) {
      return CutOff(reader);
    }
  }
  info.max_compressed_bytes = UINT64_MAX;
  std::uint32_t max_compressed = 0;
  std::uint32_t chunks = 0;
  if (!reader.Number(&info.chunk_bytes)) return CutOff(reader);
  if (era == CassandraEra::kNativeOrder) {
    if (!reader.Number(&max_compressed)) return CutOff(reader);
    info.max_compressed_bytes = max_compressed;
  }
  if (!reader.Number(&info.data_bytes) || !reader.Number(&chunks)) {
    return CutOff(reader);
  }
  if (info.chunk_bytes == 0 || chunks > reader.rest().size() / 8) {
    return Status::Corruption("offset " + std::to_string(reader.offset()) +
                              ": it does not have the chunks that it states");
  }
  info.offsets.resize(chunks);
  for (std::uint64_t& offset : info.offsets) {
    if (!reader.Number(&offset)) return CutOff(reader);
  }
  return info;
}

Status CassandraData::LoadChunk(std::uint64_t number) {
  if (number == loaded_) return Status::Ok();
  loaded_ = UINT64_MAX;
  const CassandraCompression& info = *compression_;
  if (number >= info.offsets.size()) {
    return Status::Corruption("the place is after the last chunk");
  }
  const std::uint64_t begin = info.offsets[static_cast<std::size_t>(number)];
  const std::uint64_t end =
      number + 1 < info.offsets.size()
          ? info.offsets[static_cast<std::size_t>(number) + 1]
          : file_.size();
  const std::string at = "offset " + std::to_string(begin) + ": ";
  if (end > file_.size() || begin > end || end - begin < kCrcBytes) {
    return Status::Corruption(at + "the chunk is not within the file");
  }
  const auto read =
      file_.Read(begin, static_cast<std::size_t>(end - begin), &stored_);
  if (!read.ok()) return read.status();
  const Slice bytes = read->substr(0, read->size() - kCrcBytes);
  if (Crc32(bytes) != LoadBig<std::uint32_t>(bytes.data() + bytes.size())) {
    return Status::Corruption(at + "the chunk's checksum does not match");
  }
  ++chunks_;
  bytes_ += bytes.size();
  if (bytes.size() >= info.max_compressed_bytes) {
    chunk_.assign(bytes);
  } else {
    const auto codec = CodecNamed(info.compressor);
    if (!codec.has_value()) {
      return Status::NotSupported("it is compressed by " + info.compressor +
                                  ", which is not known");
    }
    Slice compressed = bytes;
    // The last chunk is shorter.
    const std::uint64_t before = number * info.chunk_bytes;
    Uncompressed claim{.bytes = std::min<std::uint64_t>(
                           info.chunk_bytes, info.data_bytes - before),
                       .dictionary = {}};
    if (before >= info.data_bytes) return Status::Corruption(at + "too many");
    if (*codec == BlockCodec::kLz4) {
      if (bytes.size() < sizeof(std::uint32_t)) {
        return Status::Corruption(at + "the chunk is too short");
      }
      claim.bytes = LoadLittle32(bytes.data());
      compressed.remove_prefix(sizeof(std::uint32_t));
    }
    const Status done = DecompressBlock(*codec, compressed, claim, &chunk_);
    if (!done.ok()) return done.WithMessage(at + done.message());
  }
  loaded_ = number;
  return Status::Ok();
}

Result<Slice> CassandraData::Read(std::uint64_t at, std::size_t bytes) {
  if (!compression_.has_value()) {
    if (at > file_.size() || bytes > file_.size() - at) {
      return Status::Corruption("offset " + std::to_string(at) +
                                ": it is after the end of the data");
    }
    return file_.Read(at, bytes, &joined_);
  }
  joined_.clear();
  while (joined_.size() < bytes) {
    const std::uint64_t place = at + joined_.size();
    Status loaded = LoadChunk(place / compression_->chunk_bytes);
    if (!loaded.ok()) return loaded;
    const std::uint64_t from = place % compression_->chunk_bytes;
    if (from >= chunk_.size()) {
      return Status::Corruption("offset " + std::to_string(place) +
                                " of the uncompressed data: it is after its "
                                "end");
    }
    joined_.append(chunk_, static_cast<std::size_t>(from),
                   bytes - joined_.size());
  }
  return Slice(joined_);
}

}  // namespace tamis
