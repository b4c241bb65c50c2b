// SPDX-License-Identifier: Apache-2.0
// formats/tamis/container.h -- the envelope of every .tamis filter: 64 bytes of
// header, then the payload; see docs/formats/tamis.md, which is frozen.  Each
// kind defines its payload.

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
  kRange = 10,
};
inline constexpr TamisKind kLastTamisKind = TamisKind::kRange;

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

// Writes the header and both checksums.  REQUIRES: `whole` is the whole
// container, with its payload in place
void SealTamis(std::span<char> whole, const TamisHeader& header) noexcept;

// The same for a payload that is elsewhere, `more` after `payload`.  REQUIRES:
// `bytes` are those of the header alone
void SealTamisApart(std::span<char> bytes, const TamisHeader& header,
                    Slice payload, Slice more = {}) noexcept;

// Checks magic, length and both checksums, which are the same in every
// version; the header's fields are then as written, and must be checked by the
// caller.  Corruption: anything else.
Result<TamisContents> ParseTamis(Slice bytes);

// Returns "" if this library supports the version, the hash and all flags;
// otherwise the reason why the answer to every key must be "maybe".
std::string WhyTooNew(const TamisHeader& header);

// The same for readers of `kind` alone.
std::string WhyUnreadable(const TamisHeader& header, TamisKind kind);

// Returns the reason why the kind in the header cannot be read.
std::string WhyUnknownKind(const TamisHeader& header);

// The header of a filter whose keys are hashed with `seed`; its parameters are
// 0; the kind sets them.
TamisHeader NewTamisHeader(TamisKind kind, std::uint64_t seed,
                           std::uint64_t keys) noexcept;

// Returns the kind in the header, unchecked; 0 if there is no header.
std::uint16_t PeekTamisKind(Slice bytes) noexcept;

}  // namespace tamis
