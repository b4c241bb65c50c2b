// SPDX-License-Identifier: Apache-2.0
// Specification: RFC 3720 (iSCSI), section 12.1 and appendix B.4.

#include "base/crc32c.h"

#include <algorithm>
#include <array>
#include <cstddef>

#ifdef TAMIS_HAVE_ISAL
#include <isa-l/crc.h>
#endif

#include "base/coding.h"

namespace tamis {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // 0x1edc6f41, bits reversed
constexpr std::size_t kSlices = 8;

using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

// tables[s][b]: what the byte b contributes when s more bytes follow it.
constexpr Tables MakeTables() noexcept {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ ((crc & 1) != 0 ? kPolynomial : 0);
    }
    tables[0][byte] = crc;
  }
  for (std::size_t s = 1; s < kSlices; ++s) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t shorter = tables[s - 1][byte];
      tables[s][byte] = shorter >> 8 ^ tables[0][shorter & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

}  // namespace

std::uint32_t Crc32cPortable(Slice data, std::uint32_t previous) noexcept {
  std::uint32_t crc = ~previous;
  for (; data.size() >= kSlices; data.remove_prefix(kSlices)) {
    const std::uint64_t word = LoadLittle64(data.data()) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < kSlices; ++i) {
      crc ^= kTables[kSlices - 1 - i][word >> (8 * i) & 0xff];
    }
  }
  for (const char c : data) {
    crc = crc >> 8 ^ kTables[0][(crc ^ static_cast<unsigned char>(c)) & 0xff];
  }
  return ~crc;
}

#ifdef TAMIS_HAVE_ISAL
namespace {

// ISA-L's variants for newer CPUs leave the upper halves of the vector
// registers in use; until they are cleared, every SSE instruction of our
// callers is slow.  Building a table takes less than half the time with this.
void ClearUpperHalves() noexcept {
  static const bool has_avx = __builtin_cpu_supports("avx") != 0;
  if (has_avx) __asm__ volatile("vzeroupper");
}

}  // namespace

std::uint32_t Crc32c(Slice data, std::uint32_t previous) noexcept {
  // ISA-L takes the length as an int.
  constexpr std::size_t kPiece = std::size_t{1} << 30;
  std::uint32_t crc = ~previous;  // ISA-L leaves both inversions to the caller
  while (!data.empty()) {
    const std::size_t size = std::min(data.size(), kPiece);
    // It only reads, though its parameter is not const.
    auto* bytes =
        reinterpret_cast<unsigned char*>(const_cast<char*>(data.data()));
    crc = crc32_iscsi(bytes, static_cast<int>(size), crc);
    data.remove_prefix(size);
  }
  ClearUpperHalves();
  return ~crc;
}

#else

std::uint32_t Crc32c(Slice data, std::uint32_t previous) noexcept {
  return Crc32cPortable(data, previous);
}

#endif

}  // namespace tamis
