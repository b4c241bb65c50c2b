// SPDX-License-Identifier: Apache-2.0
#include "chain_codec.h"

#include <bit>

namespace tamis {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kFixedBytes = 44;
constexpr std::size_t kFilterBytes = 16;
constexpr std::size_t kChecksumBytes = 8;
// The header of a .tamis file alone has 64 bytes.  The sum of the largest, of
// as many filters as there may be, is far from overflow.
constexpr std::uint64_t kMinFileBytes = 64;
constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 46;

void AppendNumber(std::uint64_t number, std::size_t bytes, std::string* to) {
  for (std::size_t i = 0; i < bytes; ++i) {
    to->push_back(static_cast<char>(number >> (8 * i) & 0xff));
  }
}

std::uint64_t ChecksumOf(std::string_view bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

bool IsValid(const ChainParameters& parameters) noexcept {
  if (parameters.capacity == 0) return false;
  if (parameters.kind == ChainKind::kCuckoo) return parameters.generations == 0;
  const bool is_rotating = parameters.generations != 0;
  const bool has_generations = parameters.generations >= kMinGenerations &&
                               parameters.generations <= kMaxGenerations &&
                               parameters.expansion == 0;
  return parameters.kind == ChainKind::kBloom && parameters.error > 0 &&
         parameters.error < 1 && (!is_rotating || has_generations);
}

}  // namespace

std::uint64_t LoadNumber(const char* from, std::size_t bytes) noexcept {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(from[i]))
              << (8 * i);
  }
  return number;
}

std::string EncodeDescription(const ChainDescription& description) {
  const ChainParameters& parameters = description.parameters;
  std::string bytes;
  AppendNumber(kVersion, 1, &bytes);
  AppendNumber(static_cast<std::uint64_t>(parameters.kind), 1, &bytes);
  AppendNumber(parameters.generations, 2, &bytes);
  AppendNumber(parameters.expansion, 4, &bytes);
  AppendNumber(std::bit_cast<std::uint64_t>(parameters.error), 8, &bytes);
  AppendNumber(parameters.capacity, 8, &bytes);
  AppendNumber(parameters.bucket_size, 4, &bytes);
  AppendNumber(parameters.max_iterations, 4, &bytes);
  AppendNumber(description.erased, 8, &bytes);
  AppendNumber(description.filters.size(), 4, &bytes);
  for (const ChainDescription::Filter& filter : description.filters) {
    AppendNumber(filter.capacity, 8, &bytes);
    AppendNumber(filter.bytes, 8, &bytes);
  }
  AppendNumber(ChecksumOf(bytes), kChecksumBytes, &bytes);
  return bytes;
}

bool DecodeDescription(std::string_view bytes, std::size_t max_filters,
                       ChainDescription* description) {
  if (bytes.size() < kFixedBytes + kChecksumBytes) return false;
  const char* const at = bytes.data();
  const std::uint64_t filters = LoadNumber(at + 40, 4);
  if (filters == 0 || filters > max_filters ||
      bytes.size() != kFixedBytes + filters * kFilterBytes + kChecksumBytes) {
    return false;
  }
  const std::size_t end = bytes.size() - kChecksumBytes;
  if (ChecksumOf(bytes.substr(0, end)) != LoadNumber(at + end, 8)) return false;
  if (LoadNumber(at, 1) != kVersion) return false;

  ChainParameters& parameters = description->parameters;
  parameters.kind = static_cast<ChainKind>(LoadNumber(at + 1, 1));
  parameters.generations = static_cast<std::uint32_t>(LoadNumber(at + 2, 2));
  parameters.expansion = static_cast<std::uint32_t>(LoadNumber(at + 4, 4));
  parameters.error = std::bit_cast<double>(LoadNumber(at + 8, 8));
  parameters.capacity = LoadNumber(at + 16, 8);
  parameters.bucket_size = static_cast<std::uint32_t>(LoadNumber(at + 24, 4));
  parameters.max_iterations =
      static_cast<std::uint32_t>(LoadNumber(at + 28, 4));
  description->erased = LoadNumber(at + 32, 8);
  if (!IsValid(parameters)) return false;
  if (parameters.generations != 0 && filters != 1) return false;
  for (std::size_t i = 0; i < filters; ++i) {
    const char* const filter = at + kFixedBytes + i * kFilterBytes;
    description->filters.push_back({.capacity = LoadNumber(filter, 8),
                                    .bytes = LoadNumber(filter + 8, 8)});
    const std::uint64_t length = description->filters.back().bytes;
    if (length < kMinFileBytes || length > kMaxFileBytes) return false;
  }
  return true;
}

}  // namespace tamis
