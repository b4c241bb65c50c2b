// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/container.h"

#include <cassert>
#include <cstring>

#include "base/coding.h"
#include "base/crc32c.h"

namespace tamis {
namespace {

// Offsets of docs/formats/tamis.md.
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kKindAt = 10;
constexpr std::size_t kHashAt = 12;
constexpr std::size_t kFlagsAt = 14;
constexpr std::size_t kSeedAt = 16;
constexpr std::size_t kKeysAt = 24;
constexpr std::size_t kSizeParameterAt = 32;
constexpr std::size_t kParameterAAt = 40;
constexpr std::size_t kParameterBAt = 44;
constexpr std::size_t kPayloadBytesAt = 48;
constexpr std::size_t kPayloadCrcAt = 56;
constexpr std::size_t kHeaderCrcAt = 60;

TamisHeader DecodeHeader(const char* p) noexcept {
  TamisHeader header;
  header.version = LoadLittle<std::uint16_t>(p + kVersionAt);
  header.kind = LoadLittle<std::uint16_t>(p + kKindAt);
  header.hash = LoadLittle<std::uint16_t>(p + kHashAt);
  header.flags = LoadLittle<std::uint16_t>(p + kFlagsAt);
  header.seed = LoadLittle64(p + kSeedAt);
  header.keys = LoadLittle64(p + kKeysAt);
  header.size_parameter = LoadLittle64(p + kSizeParameterAt);
  header.parameter_a = LoadLittle32(p + kParameterAAt);
  header.parameter_b = LoadLittle32(p + kParameterBAt);
  return header;
}

}  // namespace

void SealTamis(std::span<char> whole, const TamisHeader& header) noexcept {
  assert(whole.size() >= kTamisHeaderBytes);
  const std::span<char> payload = whole.subspan(kTamisHeaderBytes);
  SealTamisApart(whole.first(kTamisHeaderBytes), header,
                 Slice(payload.data(), payload.size()));
}

void SealTamisApart(std::span<char> bytes, const TamisHeader& header,
                    Slice payload, Slice more) noexcept {
  assert(bytes.size() == kTamisHeaderBytes);
  char* p = bytes.data();
  std::memcpy(p, kTamisMagic.data(), kTamisMagic.size());
  StoreLittle(p + kVersionAt, header.version);
  StoreLittle(p + kKindAt, header.kind);
  StoreLittle(p + kHashAt, header.hash);
  StoreLittle(p + kFlagsAt, header.flags);
  StoreLittle(p + kSeedAt, header.seed);
  StoreLittle(p + kKeysAt, header.keys);
  StoreLittle(p + kSizeParameterAt, header.size_parameter);
  StoreLittle(p + kParameterAAt, header.parameter_a);
  StoreLittle(p + kParameterBAt, header.parameter_b);
  StoreLittle(p + kPayloadBytesAt,
              std::uint64_t{payload.size()} + std::uint64_t{more.size()});
  StoreLittle(p + kPayloadCrcAt, Crc32c(more, Crc32c(payload)));
  StoreLittle(p + kHeaderCrcAt, Crc32c(Slice(p, kHeaderCrcAt)));
}

Result<TamisContents> ParseTamis(Slice bytes) {
  if (!bytes.starts_with(kTamisMagic)) {
    return Status::Corruption("tamis: it does not begin with the magic number");
  }
  if (bytes.size() < kTamisHeaderBytes) {
    return Status::Corruption("tamis: cut off within its header");
  }
  const char* p = bytes.data();
  if (Crc32c(bytes.substr(0, kHeaderCrcAt)) != LoadLittle32(p + kHeaderCrcAt)) {
    return Status::Corruption("tamis: the checksum of its header is wrong");
  }
  TamisContents contents;
  contents.header = DecodeHeader(p);
  contents.payload = bytes.substr(kTamisHeaderBytes);
  if (contents.payload.size() != LoadLittle64(p + kPayloadBytesAt)) {
    return Status::Corruption("tamis: its length is not what its header says");
  }
  if (Crc32c(contents.payload) != LoadLittle32(p + kPayloadCrcAt)) {
    return Status::Corruption("tamis: the checksum of its payload is wrong");
  }
  return contents;
}

std::string WhyTooNew(const TamisHeader& header) {
  if (header.version != kTamisVersion) {
    return "format version " + std::to_string(header.version) +
           " is unknown to this library, which knows 1";
  }
  if (header.flags != 0) {
    return "it uses features unknown to this library (flags " +
           std::to_string(header.flags) + ")";
  }
  if (header.hash != static_cast<std::uint16_t>(TamisHash::kXxh3)) {
    return "hash function " + std::to_string(header.hash) +
           " is unknown to this library";
  }
  return {};
}

std::string WhyUnreadable(const TamisHeader& header, TamisKind kind) {
  if (std::string reason = WhyTooNew(header); !reason.empty()) return reason;
  if (header.kind == static_cast<std::uint16_t>(kind)) return {};
  return WhyUnknownKind(header);
}

std::string WhyUnknownKind(const TamisHeader& header) {
  return "filter kind " + std::to_string(header.kind) +
         " is unknown to this library";
}

TamisHeader NewTamisHeader(TamisKind kind, std::uint64_t seed,
                           std::uint64_t keys) noexcept {
  TamisHeader header;
  header.kind = static_cast<std::uint16_t>(kind);
  header.hash = static_cast<std::uint16_t>(TamisHash::kXxh3);
  header.seed = seed;
  header.keys = keys;
  return header;
}

std::uint16_t PeekTamisKind(Slice bytes) noexcept {
  if (bytes.size() < kTamisHeaderBytes) return 0;
  return LoadLittle<std::uint16_t>(bytes.data() + kKindAt);
}

}  // namespace tamis
