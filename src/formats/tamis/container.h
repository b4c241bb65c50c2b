// SPDX-License-Identifier: Apache-2.0
// formats/tamis/container.h -- the envelope of every filter of our own: 64
// bytes of header, then the payload; see docs/formats/tamis.md, which is
// frozen.  What the payload means is the business of each kind.

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tamis/filter.h"

namespace tamis {

inline constexpr std::string_view kTamisFilterName = "tamis.Filter1";
inline constexpr std::string_view kTamisMagic("\x89TAMIS\r\n", 8);
inline constexpr std::size_t kTamisHeaderBytes = 64;
inline constexpr std::uint16_t kTamisVersion = 1;
inline constexpr std::uint64_t kTamisKeysUnknown = ~std::uint64_t{0};

// Never reused, never renumbered.
enum class TamisKind : std::uint16_t {
  kClassicBloom = 1,
  kLineBloom = 2,  // cache-local
  kSplitBlock = 3,
  kRibbon = 4,
  kFuse = 5,
  kCounting = 6,
  kCuckoo = 7,
  kScalable = 8,
  kRotating = 9,
};
inline constexpr TamisKind kLastTamisKind = TamisKind::kRotating;

enum class TamisHash : std::uint16_t { kXxh3 = 1 };  // 64 bits, seeded

struct TamisHeader {
  std::uint16_t version = kTamisVersion;
  std::uint16_t kind = 0;
  std::uint16_t hash = 0;
  std::uint16_t flags = 0;
  std::uint64_t seed = 0;
  std::uint64_t keys = kTamisKeysUnknown;
  std::uint64_t size_parameter = 0;  // classic Bloom: bits; others: blocks
  std::uint32_t parameter_a = 0;     // probes
  std::uint32_t parameter_b = 0;     // 0
};

struct TamisContents {
  TamisHeader header;
  Slice payload;
};

// Writes the header and both checksums.  REQUIRES: `whole` is the container
// from end to end, its payload in place
void SealTamis(std::span<char> whole, const TamisHeader& header) noexcept;

// Checks magic, length and both checksums, which are the same in every
// version; the header's fields are then what the writer meant, and for the
// caller to judge.  Corruption: anything else.
Result<TamisContents> ParseTamis(Slice bytes);

// Empty if this library knows the version, the hash and all flags; otherwise
// the reason why every key must be answered with "maybe".
std::string WhyTooNew(const TamisHeader& header);

// The same for who reads filters of `kind` alone.
std::string WhyUnreadable(const TamisHeader& header, TamisKind kind);

// Why nobody here reads filters of the kind that the header states.
std::string WhyUnknownKind(const TamisHeader& header);

// The header of a filter whose keys are hashed with `seed`; its parameters are
// 0, and for the kind to set.
TamisHeader NewTamisHeader(TamisKind kind, std::uint64_t seed,
                           std::uint64_t keys) noexcept;

// The kind as it stands in the header, unchecked; 0 if there is none.
std::uint16_t PeekTamisKind(Slice bytes) noexcept;

}  // namespace tamis
