// SPDX-License-Identifier: Apache-2.0
#include "sstable/rocksdb/table.h"

#include <utility>

#include "base/coding.h"
#include "sstable/codecs.h"

namespace tamis {
namespace {

constexpr std::uint32_t kTwoLevelIndex = 2;
constexpr std::uint32_t kIndexWithFirstKeys = 3;
// From this version on the metaindex has the handle of the index.
constexpr std::uint32_t kIndexInMetaindex = 6;
constexpr unsigned kFirstCustomCodec = 0x80;
constexpr std::string_view kBuiltinCompression = "BuiltinV2";

constexpr unsigned kRaw = 0;

struct CodecNumber {
  unsigned number;
  BlockCodec codec;
};
constexpr CodecNumber kCodecs[] = {
    {1, BlockCodec::kSnappy}, {2, BlockCodec::kRawDeflate},
    {4, BlockCodec::kLz4},    {5, BlockCodec::kLz4},  // LZ4HC: the same bytes
    {7, BlockCodec::kZstd},
};

// Counts the bytes that are kept of a block.  Names that share long prefixes
// could take far more memory than the block has.
class KeptBytes {
 public:
  explicit KeptBytes(const RocksDbBlockParts& parts) noexcept
      : left_(kMaxGrowth * parts.entries.size()) {}
  // False: they are too many.
  bool Take(std::size_t bytes) noexcept {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  static constexpr std::uint64_t kMaxGrowth = 64;
  std::uint64_t left_;
};

std::uint32_t IndexType(const RocksDbTable& table) noexcept {
  const Slice type = table.Property("rocksdb.block.based.table.index.type");
  return type.size() == sizeof(std::uint32_t) ? LoadLittle32(type.data()) : 0;
}

}  // namespace

Status AtOffset(std::uint64_t offset, const Status& status) {
  return status.WithMessage("offset " + std::to_string(offset) + ": " +
                            status.message());
}

std::string WithoutGlobalSequence(Slice properties) {
  constexpr std::string_view kName = "rocksdb.external_sst_file.global_seqno";
  std::string zeroed(properties);
  RocksDbBlockParts parts;
  if (!RocksDbBlockParts::Parse(properties, &parts).ok()) return zeroed;
  RocksDbEntries entries(parts);
  while (entries.Next()) {
    if (entries.key() != kName) continue;
    const auto at =
        static_cast<std::size_t>(entries.value().data() - properties.data());
    zeroed.replace(at, entries.value().size(), entries.value().size(), '\0');
  }
  return zeroed;
}

Result<RocksDbTable> RocksDbTable::Open(const ReadableFile& file) {
  RocksDbTable table;
  if (file.size() < kRocksDbFooterBytes) {
    return Status::Corruption("offset 0: it is shorter than RocksDB's footer");
  }
  const std::uint64_t at = file.size() - kRocksDbFooterBytes;
  std::string scratch;
  const Result<Slice> end = file.Read(at, kRocksDbFooterBytes, &scratch);
  if (!end.ok()) return end.status();
  const Result<RocksDbFooter> footer = ParseRocksDbFooter(*end, file.size());
  if (!footer.ok()) return AtOffset(at, footer.status());
  table.footer_ = *footer;
  for (const auto step :
       {&RocksDbTable::ReadMetaindex, &RocksDbTable::ReadProperties,
        &RocksDbTable::ReadDictionary}) {
    if (Status read = (table.*step)(file); !read.ok()) return read;
  }
  return table;
}

Status RocksDbTable::ReadMetaindex(const ReadableFile& file) {
  RocksDbBuffer buffer;
  RocksDbBlockParts parts;
  const std::uint64_t at = footer_.metaindex.offset;
  Status read = ReadParts(file, footer_.metaindex, false, &buffer, &parts);
  if (!read.ok()) return read;
  RocksDbEntries entries(parts);
  KeptBytes kept(parts);
  while (entries.Next()) {
    Slice value = entries.value();
    BlockHandle handle;
    if (!ReadHandle(&value, &handle) || !kept.Take(entries.key().size())) {
      return AtOffset(at, Status::Corruption("the metaindex is damaged"));
    }
    blocks_[std::string(entries.key())] = handle;
  }
  if (entries.damaged()) {
    return AtOffset(at, Status::Corruption("the metaindex is damaged"));
  }
  if (footer_.version < kIndexInMetaindex) return Status::Ok();
  const auto index = blocks_.find("rocksdb.index");
  if (index == blocks_.end()) {
    return AtOffset(at, Status::Corruption("the metaindex names no index"));
  }
  footer_.index = index->second;
  return Status::Ok();
}

Status RocksDbTable::ReadProperties(const ReadableFile& file) {
  const auto place = blocks_.find("rocksdb.properties");
  if (place == blocks_.end()) {
    return AtOffset(footer_.metaindex.offset,
                    Status::Corruption("the metaindex names no properties"));
  }
  RocksDbBuffer buffer;
  Slice contents;
  Status read = ReadPropertiesBlock(file, place->second, &buffer, &contents);
  if (!read.ok()) return read;
  RocksDbBlockParts parts;
  read = RocksDbBlockParts::Parse(contents, &parts);
  if (!read.ok()) return AtOffset(place->second.offset, read);
  RocksDbEntries entries(parts);
  KeptBytes kept(parts);
  bool fits = true;
  while (fits && entries.Next()) {
    fits = kept.Take(entries.key().size() + entries.value().size());
    if (fits)
      properties_[std::string(entries.key())] = std::string(entries.value());
  }
  if (fits && !entries.damaged()) return Status::Ok();
  return AtOffset(place->second.offset,
                  Status::Corruption("the properties are damaged"));
}

// RocksDB also accepts a checksum of the block without the number.
Status RocksDbTable::ReadPropertiesBlock(const ReadableFile& file,
                                         const BlockHandle& handle,
                                         RocksDbBuffer* buffer,
                                         Slice* contents) {
  Status read = ReadBlock(file, handle, false, buffer, contents);
  if (read.code() != StatusCode::kCorruption ||
      !LiesBefore(handle, file.size())) {
    return read;
  }
  const std::size_t size = static_cast<std::size_t>(handle.size);
  const Result<Slice> stored =
      file.Read(handle.offset, size + kBlockTrailerBytes, &buffer->stored);
  if (!stored.ok() || ByteAt(*stored, size) != kRaw) return read;
  const std::string zeroed =
      WithoutGlobalSequence(stored->substr(0, size)) + '\0';
  const std::uint32_t sum = LoadLittle32(stored->data() + size + 1);
  if (footer_.seal.Sum(zeroed, handle.offset) != sum) return read;
  has_global_sequence_ = true;
  *contents = stored->substr(0, size);
  return Status::Ok();
}

Status RocksDbTable::ReadDictionary(const ReadableFile& file) {
  const auto place = blocks_.find("rocksdb.compression_dict");
  if (place == blocks_.end()) return Status::Ok();
  RocksDbBuffer buffer;
  Slice contents;
  Status read = ReadBlock(file, place->second, false, &buffer, &contents);
  if (read.ok()) dictionary_ = std::string(contents);
  return read;
}

Slice RocksDbTable::Property(const std::string& name) const noexcept {
  const auto found = properties_.find(name);
  return found == properties_.end() ? Slice() : Slice(found->second);
}

std::uint64_t RocksDbTable::NumberProperty(
    const std::string& name) const noexcept {
  Slice value = Property(name);
  std::uint64_t number = 0;
  return ReadVarint64(&value, &number) ? number : 0;
}

RocksDbIndexCoding RocksDbTable::index_coding() const noexcept {
  return {.has_delta_values =
              NumberProperty("rocksdb.index.value.is.delta.encoded") != 0,
          .has_user_keys = NumberProperty("rocksdb.index.key.is.user.key") != 0,
          .has_first_keys = IndexType(*this) == kIndexWithFirstKeys};
}

bool RocksDbTable::has_two_level_index() const noexcept {
  return IndexType(*this) == kTwoLevelIndex;
}

std::string RocksDbTable::WhyNotReadable() const {
  if (IndexType(*this) > kIndexWithFirstKeys) {
    return "its index is of an unknown type";
  }
  const Slice compression = Property("rocksdb.compression_name");
  const std::string manager(compression.substr(0, compression.find(';')));
  if (!manager.empty() && manager != kBuiltinCompression) {
    return "it is compressed by \"" + manager + "\", which is custom";
  }
  return "";
}

Status RocksDbTable::Unpack(unsigned codec, Slice stored, bool is_data,
                            std::string* raw) const {
  if (codec >= kFirstCustomCodec) {
    return Status::NotSupported("its compression is custom (type " +
                                std::to_string(codec) + ")");
  }
  for (const CodecNumber& known : kCodecs) {
    if (known.number != codec) continue;
    Uncompressed claim;
    if (is_data) claim.dictionary = dictionary_;
    std::uint32_t bytes = 0;
    if (known.codec != BlockCodec::kSnappy && !ReadVarint32(&stored, &bytes)) {
      return Status::Corruption("its size is missing");
    }
    claim.bytes = bytes;
    return DecompressBlock(known.codec, stored, claim, raw);
  }
  return Status::NotSupported(
      "it is compressed in a way that Tamis lacks "
      "(type " +
      std::to_string(codec) + ")");
}

Status RocksDbTable::ReadStored(const ReadableFile& from,
                                const BlockHandle& handle,
                                RocksDbBuffer* buffer,
                                RocksDbStoredBlock* block) const {
  if (!LiesBefore(handle, from.size())) {
    return AtOffset(handle.offset,
                    Status::Corruption("the block is not within the file"));
  }
  const std::size_t size = static_cast<std::size_t>(handle.size);
  const Result<Slice> stored =
      from.Read(handle.offset, size + kBlockTrailerBytes, &buffer->stored);
  if (!stored.ok()) return AtOffset(handle.offset, stored.status());
  const Slice covered = stored->substr(0, size + 1);
  if (footer_.seal.kind != RocksDbChecksum::kNone &&
      LoadLittle32(stored->data() + size + 1) !=
          footer_.seal.Sum(covered, handle.offset)) {
    return AtOffset(handle.offset,
                    Status::Corruption("the block's checksum does not match"));
  }
  block->contents = stored->substr(0, size);
  block->compression = ByteAt(*stored, size);
  return Status::Ok();
}

Status RocksDbTable::ReadBlock(const ReadableFile& from,
                               const BlockHandle& handle, bool is_data,
                               RocksDbBuffer* buffer, Slice* contents) const {
  RocksDbStoredBlock block;
  Status read = ReadStored(from, handle, buffer, &block);
  *contents = block.contents;
  if (!read.ok() || block.compression == kRaw) return read;
  Status unpacked =
      Unpack(block.compression, block.contents, is_data, &buffer->raw);
  *contents = buffer->raw;
  return unpacked.ok() ? unpacked : AtOffset(handle.offset, unpacked);
}

Status RocksDbTable::ReadParts(const ReadableFile& from,
                               const BlockHandle& handle, bool is_data,
                               RocksDbBuffer* buffer,
                               RocksDbBlockParts* parts) const {
  Slice contents;
  Status read = ReadBlock(from, handle, is_data, buffer, &contents);
  if (!read.ok()) return read;
  read = RocksDbBlockParts::Parse(contents, parts);
  return read.ok() ? read : AtOffset(handle.offset, read);
}

}  // namespace tamis
