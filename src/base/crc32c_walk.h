// SPDX-License-Identifier: Apache-2.0
// base/crc32c_walk.h -- CRC-32C a byte at a time, forwards and backwards, to
// find where checksummed bytes begin or end.
//
// The register is the checksum's complement: it is kCrc32cStart before the
// first byte, and Crc32c(bytes) is ~register after the last.

#pragma once

#include <array>
#include <cstdint>

namespace tamis {

inline constexpr std::uint32_t kCrc32cStart = 0xffffffff;

namespace crc32c_internal {

inline constexpr std::uint32_t kPolynomial = 0x82f63b78;

constexpr std::array<std::uint32_t, 256> MakeSteps() noexcept {
  std::array<std::uint32_t, 256> steps{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ ((crc & 1) != 0 ? kPolynomial : 0);
    }
    steps[byte] = crc;
  }
  return steps;
}
inline constexpr std::array<std::uint32_t, 256> kSteps = MakeSteps();

// Maps the top byte of a table entry, which is unique, to the entry's index.
constexpr std::array<std::uint8_t, 256> MakeStepsBack() noexcept {
  std::array<std::uint8_t, 256> back{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    back[kSteps[byte] >> 24] = static_cast<std::uint8_t>(byte);
  }
  return back;
}
inline constexpr std::array<std::uint8_t, 256> kStepsBack = MakeStepsBack();

}  // namespace crc32c_internal

// Returns the register after one more byte.
constexpr std::uint32_t Crc32cForward(std::uint32_t before,
                                      std::uint8_t byte) noexcept {
  return before >> 8 ^ crc32c_internal::kSteps[(before ^ byte) & 0xff];
}

// Returns the register before that byte: the inverse of Crc32cForward().
constexpr std::uint32_t Crc32cBack(std::uint32_t after,
                                   std::uint8_t byte) noexcept {
  const std::uint32_t step = crc32c_internal::kStepsBack[after >> 24];
  return ((after ^ crc32c_internal::kSteps[step]) << 8) | (step ^ byte);
}

// Registers are polynomials over GF(2), and n zero bytes multiply one by x^(8
// n): Crc32cForward(r, 0) is Crc32cTimes(r, x^8).  This constant is 1.
inline constexpr std::uint32_t kCrc32cOne = 0x80000000;

// Returns the product of two registers modulo CRC-32C's polynomial.
constexpr std::uint32_t Crc32cTimes(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t product = 0;
  for (int bit = 31; bit >= 0; --bit) {
    product ^= b & (0 - (a >> bit & 1));
    b = b >> 1 ^ (crc32c_internal::kPolynomial & (0 - (b & 1)));
  }
  return product;
}

}  // namespace tamis
