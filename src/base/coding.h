// base/coding.h -- integers as bytes, in the order a format prescribes,
// whatever the order of this machine and however the bytes are aligned.

#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>

namespace tamis {

// std::byteswap is C++23.
template <std::unsigned_integral T>
constexpr T ByteSwap(T value) noexcept {
  if constexpr (sizeof(T) == 1) {
    return value;
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else {
    static_assert(sizeof(T) == 8);
    return __builtin_bswap64(value);
  }
}

// REQUIRES, for all of these: sizeof(T) bytes at `p`.
template <std::unsigned_integral T>
T LoadLittle(const void* p) noexcept {
  T value;
  std::memcpy(&value, p, sizeof(value));
  return std::endian::native == std::endian::little ? value : ByteSwap(value);
}

template <std::unsigned_integral T>
T LoadBig(const void* p) noexcept {
  T value;
  std::memcpy(&value, p, sizeof(value));
  return std::endian::native == std::endian::big ? value : ByteSwap(value);
}

template <std::unsigned_integral T>
void StoreLittle(void* p, T value) noexcept {
  if (std::endian::native != std::endian::little) value = ByteSwap(value);
  std::memcpy(p, &value, sizeof(value));
}

template <std::unsigned_integral T>
void StoreBig(void* p, T value) noexcept {
  if (std::endian::native != std::endian::big) value = ByteSwap(value);
  std::memcpy(p, &value, sizeof(value));
}

inline std::uint32_t LoadLittle32(const void* p) noexcept {
  return LoadLittle<std::uint32_t>(p);
}
inline std::uint64_t LoadLittle64(const void* p) noexcept {
  return LoadLittle<std::uint64_t>(p);
}

}  // namespace tamis
