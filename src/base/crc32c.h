// SPDX-License-Identifier: Apache-2.0
// base/crc32c.h -- the checksum of LevelDB, RocksDB and our own files.

#pragma once

#include <cstdint>

#include "tamis/slice.h"

namespace tamis {

// Returns CRC-32C (Castagnoli) of `data`; with `previous`, of the bytes whose
// checksum is `previous`, followed by `data`: Crc32c(b, Crc32c(a)) ==
// Crc32c(ab).  Uses the fastest implementation of this build and CPU.
std::uint32_t Crc32c(Slice data, std::uint32_t previous = 0) noexcept;

// The same in plain C++ for any machine.  This is the definition.
std::uint32_t Crc32cPortable(Slice data, std::uint32_t previous = 0) noexcept;

// LevelDB and RocksDB store checksums masked, because a checksum over bytes
// that contain checksums detects less.
inline constexpr std::uint32_t kCrc32cMaskDelta = 0xa282ead8;

constexpr std::uint32_t MaskCrc32c(std::uint32_t crc) noexcept {
  return (crc >> 15 | crc << 17) + kCrc32cMaskDelta;
}

// The inverse of MaskCrc32c().
constexpr std::uint32_t UnmaskCrc32c(std::uint32_t masked) noexcept {
  const std::uint32_t rotated = masked - kCrc32cMaskDelta;
  return rotated >> 17 | rotated << 15;
}

}  // namespace tamis
