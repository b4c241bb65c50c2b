// SPDX-License-Identifier: Apache-2.0
#include "sstable/rocksdb/footer.h"

#include <string>

#include "base/coding.h"
#include "base/crc32c.h"
#include "hash/xxhash.h"

namespace tamis {
namespace {

constexpr std::size_t kVersionAt = 41;
constexpr std::size_t kMagicAt = 45;
constexpr std::uint32_t kMinVersion = 2;
constexpr std::uint32_t kMaxVersion = 7;

// From this version on the footer has its own checksum.
constexpr std::uint32_t kContextVersion = 6;
constexpr std::uint32_t kExtendedMagic = 0x007a003e;
constexpr std::size_t kExtendedMagicAt = 1;
constexpr std::size_t kFooterSumAt = 5;
constexpr std::size_t kContextAt = 9;
constexpr std::size_t kMetaindexSizeAt = 13;

// RocksDB hashes all but the last byte, and mixes that in: the compression
// type is known later than the contents.
std::uint32_t Xxh3Sum(Slice covered) noexcept {
  constexpr std::uint32_t kLastByteFactor = 0x6b9083d9;
  if (covered.empty()) return 0;
  const auto last = static_cast<unsigned char>(covered.back());
  covered.remove_suffix(1);
  return static_cast<std::uint32_t>(Xxh3(covered)) ^ last * kLastByteFactor;
}

std::uint32_t PlainSum(RocksDbChecksum kind, Slice covered) noexcept {
  switch (kind) {
    case RocksDbChecksum::kNone:
      return 0;
    case RocksDbChecksum::kCrc32c:
      return MaskCrc32c(Crc32c(covered));
    case RocksDbChecksum::kXxh32:
      return Xxh32(covered);
    case RocksDbChecksum::kXxh64:
      return static_cast<std::uint32_t>(Xxh64(covered));
    case RocksDbChecksum::kXxh3:
      break;
  }
  return Xxh3Sum(covered);
}

Status ParseHandles(Slice bytes, std::uint64_t limit, RocksDbFooter* footer) {
  if (!ReadHandle(&bytes, &footer->metaindex) ||
      !ReadHandle(&bytes, &footer->index)) {
    return Status::Corruption("the footer has no block handles");
  }
  if (!LiesBefore(footer->metaindex, limit) ||
      !LiesBefore(footer->index, limit)) {
    return Status::Corruption(
        "the footer names blocks that are not within the file");
  }
  return Status::Ok();
}

Status ParseExtended(Slice bytes, std::uint64_t offset, RocksDbFooter* footer) {
  if (LoadLittle32(&bytes[kExtendedMagicAt]) != kExtendedMagic) {
    return Status::Corruption("the footer lacks its second magic number");
  }
  footer->seal.context = LoadLittle32(&bytes[kContextAt]);
  std::string covered(bytes);
  StoreLittle(&covered[kFooterSumAt], std::uint32_t{0});
  if (LoadLittle32(&bytes[kFooterSumAt]) != footer->seal.Sum(covered, offset)) {
    return Status::Corruption("the checksum of the footer does not match");
  }
  const std::uint64_t size = LoadLittle32(&bytes[kMetaindexSizeAt]);
  if (size + kBlockTrailerBytes > offset) {
    return Status::Corruption("the metaindex is not within the file");
  }
  footer->metaindex = {offset - kBlockTrailerBytes - size, size};
  return Status::Ok();
}

}  // namespace

std::uint32_t RocksDbSeal::Sum(Slice covered,
                               std::uint64_t offset) const noexcept {
  const std::uint32_t sum = PlainSum(kind, covered);
  if (context == 0) return sum;
  const auto low = static_cast<std::uint32_t>(offset);
  const auto high = static_cast<std::uint32_t>(offset >> 32);
  return sum + (context ^ (low + high));
}

Result<RocksDbFooter> ParseRocksDbFooter(Slice bytes,
                                         std::uint64_t file_bytes) {
  if (bytes.size() != kRocksDbFooterBytes || file_bytes < bytes.size() ||
      LoadLittle64(&bytes[kMagicAt]) != kRocksDbTableMagic) {
    return Status::Corruption("it does not end in RocksDB's footer");
  }
  RocksDbFooter footer;
  footer.version = LoadLittle32(&bytes[kVersionAt]);
  if (footer.version < kMinVersion || footer.version > kMaxVersion) {
    return Status::NotSupported("its format version is " +
                                std::to_string(footer.version) +
                                "; this version of Tamis reads 2 to 7");
  }
  const auto kind = static_cast<unsigned char>(bytes[0]);
  if (kind > static_cast<unsigned char>(RocksDbChecksum::kXxh3)) {
    return Status::NotSupported("its checksums are of an unknown kind (" +
                                std::to_string(kind) + ")");
  }
  footer.seal.kind = RocksDbChecksum{kind};
  const std::uint64_t offset = file_bytes - kRocksDbFooterBytes;
  const Status parsed =
      footer.version >= kContextVersion
          ? ParseExtended(bytes, offset, &footer)
          : ParseHandles(bytes.substr(1, kVersionAt - 1), offset, &footer);
  if (!parsed.ok()) return parsed;
  return footer;
}

void AppendRocksDbFooter(std::string* dst, const RocksDbFooter& footer,
                         std::uint64_t offset) {
  std::string handles;
  std::string bytes(kRocksDbFooterBytes, '\0');
  bytes[0] = static_cast<char>(footer.seal.kind);
  StoreLittle(&bytes[kVersionAt], footer.version);
  StoreLittle(&bytes[kMagicAt], kRocksDbTableMagic);
  if (footer.version < kContextVersion) {
    AppendHandle(&handles, footer.metaindex);
    AppendHandle(&handles, footer.index);
    handles.copy(&bytes[1], handles.size());
  } else {
    StoreLittle(&bytes[kExtendedMagicAt], kExtendedMagic);
    StoreLittle(&bytes[kContextAt], footer.seal.context);
    StoreLittle(&bytes[kMetaindexSizeAt],
                static_cast<std::uint32_t>(footer.metaindex.size));
    StoreLittle(&bytes[kFooterSumAt], footer.seal.Sum(bytes, offset));
  }
  dst->append(bytes);
}

void AppendRocksDbBlockTrailer(std::string* block, unsigned compression,
                               const RocksDbSeal& seal, std::uint64_t offset) {
  block->push_back(static_cast<char>(compression));
  AppendFixed32(block, seal.Sum(*block, offset));
}

}  // namespace tamis
