// SPDX-License-Identifier: Apache-2.0
#include "formats/parquet/header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "base/coding.h"
#include "base/thrift_compact.h"

namespace tamis {
namespace {

// Fields of BloomFilterHeader, and the only member that each union has so far.
enum HeaderField : std::int16_t {
  kNumBytes = 1,
  kAlgorithm = 2,
  kHash = 3,
  kCompression = 4,
};
constexpr std::int16_t kOnlyMember = 1;  // BLOCK, XXHASH, UNCOMPRESSED

constexpr unsigned kVarintBits = 7;

// A union: a struct with one field, whose id selects the alternative.
struct UnionSeen {
  bool present = false;
  unsigned members = 0;
  std::int16_t member = 0;
};

UnionSeen ReadUnion(ThriftCompactReader& in) {
  UnionSeen seen;
  seen.present = true;
  in.ReadStruct([&](ThriftField field) {
    // The known alternatives are empty structs: any other type with their id is
    // not an alternative.
    if (field.id != kOnlyMember || field.type == ThriftType::kStruct) {
      ++seen.members;
      seen.member = field.id;
    }
    return false;
  });
  return seen;
}

struct HeaderSeen {
  bool has_num_bytes = false;
  std::int64_t num_bytes = 0;
  UnionSeen algorithm;
  UnionSeen hash;
  UnionSeen compression;
};

UnionSeen* UnionOf(HeaderSeen* seen, std::int16_t id) {
  switch (id) {
    case kAlgorithm:
      return &seen->algorithm;
    case kHash:
      return &seen->hash;
    case kCompression:
      return &seen->compression;
    default:
      return nullptr;
  }
}

HeaderSeen ReadHeader(ThriftCompactReader& in) {
  HeaderSeen seen;
  in.ReadStruct([&](ThriftField field) {
    if (field.id == kNumBytes) {
      seen.num_bytes = in.ReadInteger(field.type);
      seen.has_num_bytes = true;
      return true;
    }
    UnionSeen* known = UnionOf(&seen, field.id);
    if (known == nullptr || field.type != ThriftType::kStruct) return false;
    *known = ReadUnion(in);
    return true;
  });
  return seen;
}

bool HasOneMember(const UnionSeen& seen) {
  return seen.present && seen.members == 1;
}

std::string WhyReserved(const HeaderSeen& seen) {
  const auto reason = [](std::string_view what, const UnionSeen& which) {
    return which.member == kOnlyMember
               ? std::string()
               : std::string(what) + " " + std::to_string(which.member) +
                     " is unknown to this library";
  };
  std::string why = reason("filter algorithm", seen.algorithm);
  if (why.empty()) why = reason("hash function", seen.hash);
  if (why.empty()) why = reason("compression", seen.compression);
  return why;
}

constexpr std::uint64_t Zigzag(std::uint64_t value) noexcept {
  return value << 1;  // zigzag, of a number that is not negative
}

// Around the varint of numBytes: field 1 as an i32; then thrice a struct with
// one field, an empty struct; then the end.
constexpr char kI32Field = 0x15;
constexpr std::array<char, 13> kUnions = {0x1c, 0x1c, 0,    0, 0x1c, 0x1c, 0,
                                          0,    0x1c, 0x1c, 0, 0,    0};

}  // namespace

Result<ParquetHeader> ParseParquetHeader(Slice bytes) {
  ThriftCompactReader in(bytes);
  const HeaderSeen seen = ReadHeader(in);
  if (!in.ok()) {
    return Status::Corruption("parquet: its header is damaged or cut off");
  }
  if (!seen.has_num_bytes || !HasOneMember(seen.algorithm) ||
      !HasOneMember(seen.hash) || !HasOneMember(seen.compression)) {
    return Status::Corruption(
        "parquet: its header lacks the size, the algorithm, the hash or the "
        "compression");
  }
  ParquetHeader header;
  header.header_bytes = in.position();
  header.bitset_bytes = seen.num_bytes;
  header.reserved = WhyReserved(seen);
  return header;
}

bool IsObsoleteParquet(Slice bytes) noexcept {
  constexpr unsigned char kLowBits = 15;
  return bytes.size() >= kObsoleteParquetHeaderBytes &&
         (static_cast<unsigned char>(bytes.front()) & kLowBits) == 0;
}

Result<ParquetHeader> ParseObsoleteParquetHeader(Slice bytes) {
  if (bytes.size() < kObsoleteParquetHeaderBytes) {
    return Status::Corruption("parquet: shorter than its obsolete header");
  }
  ParquetHeader header;
  header.header_bytes = kObsoleteParquetHeaderBytes;
  header.bitset_bytes = LoadLittle32(bytes.data());
  const std::uint32_t hash = LoadLittle32(bytes.data() + 4);
  const std::uint32_t algorithm = LoadLittle32(bytes.data() + 8);
  if (header.bitset_bytes <= 0 ||
      !std::has_single_bit(static_cast<std::uint64_t>(header.bitset_bytes))) {
    return Status::Corruption(
        "parquet: the size of an obsolete filter is not a power of two");
  }
  if (hash != 0 || algorithm != 0) {
    header.reserved = "hash " + std::to_string(hash) + " or algorithm " +
                      std::to_string(algorithm) +
                      " of the obsolete header is unknown to this library";
  }
  return header;
}

Status CheckParquetBitset(const ParquetHeader& header,
                          std::uint64_t available) {
  if (header.bitset_bytes <= 0 ||
      static_cast<std::uint64_t>(header.bitset_bytes) % kParquetBlockBytes !=
          0) {
    return Status::Corruption("parquet: its size, " +
                              std::to_string(header.bitset_bytes) +
                              " bytes, is not a multiple of 32");
  }
  if (static_cast<std::uint64_t>(header.bitset_bytes) > available) {
    return Status::Corruption(
        "parquet: of its " + std::to_string(header.bitset_bytes) +
        " bytes, only " + std::to_string(available) + " are there");
  }
  return Status::Ok();
}

std::size_t ParquetHeaderBytes(std::uint64_t bitset_bytes) noexcept {
  return sizeof(kI32Field) + VarintBytes(Zigzag(bitset_bytes)) + kUnions.size();
}

void StoreParquetHeader(char* out, std::uint64_t bitset_bytes) noexcept {
  constexpr std::uint64_t kMore = std::uint64_t{1} << kVarintBits;
  *out++ = kI32Field;
  std::uint64_t value = Zigzag(bitset_bytes);
  for (; value >= kMore; value >>= kVarintBits) {
    *out++ = static_cast<char>(value | kMore);
  }
  *out++ = static_cast<char>(value);
  std::copy(kUnions.begin(), kUnions.end(), out);
}

void StoreObsoleteParquetHeader(char* out,
                                std::uint64_t bitset_bytes) noexcept {
  StoreLittle(out, static_cast<std::uint32_t>(bitset_bytes));
  StoreLittle(out + 4, std::uint32_t{0});
  StoreLittle(out + 8, std::uint32_t{0});
}

}  // namespace tamis
