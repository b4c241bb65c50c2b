// SPDX-License-Identifier: Apache-2.0
// formats/teaching/lab_layout.h -- the layout that the lab format and the MD5
// filter share: LE32 k, LE64 m, ceil(m / 8) bytes of bits; see
// docs/formats/lab.md.

#pragma once

#include <span>
#include <string_view>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"

namespace tamis {

inline constexpr std::size_t kLabHeaderBytes = 12;

inline std::uint64_t LabPayloadBytes(std::uint64_t bits) noexcept {
  return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

// Writes the header.  REQUIRES: whole.size() >= kLabHeaderBytes
void SealLab(std::span<char> whole, const BloomParameters& parameters) noexcept;

// `name` starts the error messages.  More probes than `max_probes` are
// reserved.  Corruption: the lengths do not match, k = 0, m = 0, or bits beyond
// m are set, which no writer does.
Result<ParsedBloom> ParseLab(std::string_view name, Slice bytes,
                             unsigned max_probes);

}  // namespace tamis
