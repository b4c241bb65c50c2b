// SPDX-License-Identifier: Apache-2.0
// base/coding.h -- integers as bytes, in the byte order of the format, whatever
// the byte order of this machine and the alignment; and integers and strings of
// variable length (varints).

#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>

#include "tamis/slice.h"

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

// These require sizeof(T) bytes at `p`.
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

inline void AppendFixed32(std::string* dst, std::uint32_t value) {
  char bytes[sizeof(value)];
  StoreLittle(bytes, value);
  dst->append(bytes, sizeof(bytes));
}
inline void AppendFixed64(std::string* dst, std::uint64_t value) {
  char bytes[sizeof(value)];
  StoreLittle(bytes, value);
  dst->append(bytes, sizeof(bytes));
}

// A varint is an integer in groups of seven bits, lowest first, one per byte;
// the high bit of a byte means that another one follows.
inline constexpr std::size_t kMaxVarint32Bytes = 5;
inline constexpr std::size_t kMaxVarint64Bytes = 10;

// Both return the end of what they wrote.  REQUIRES: `p` has space for this
// varint
inline char* EncodeVarint64(char* p, std::uint64_t value) noexcept {
  for (; value >= 0x80; value >>= 7) *p++ = static_cast<char>(value | 0x80);
  *p++ = static_cast<char>(value);
  return p;
}
// How many bytes EncodeVarint64() takes.
constexpr std::size_t VarintBytes(std::uint64_t value) noexcept {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}
inline char* EncodeVarint32(char* p, std::uint32_t value) noexcept {
  return EncodeVarint64(p, value);
}

inline void AppendVarint64(std::string* dst, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    dst->push_back(static_cast<char>(value | 0x80));
  }
  dst->push_back(static_cast<char>(value));
}
inline void AppendVarint32(std::string* dst, std::uint32_t value) {
  AppendVarint64(dst, value);
}

// Appends the length as a varint32, then the bytes.  REQUIRES: less than 4 GiB
inline void AppendLengthPrefixed(std::string* dst, Slice bytes) {
  AppendVarint32(dst, static_cast<std::uint32_t>(bytes.size()));
  dst->append(bytes);
}

// Returns the end of the varint at `p`.  Null: it does not end before `end`, or
// the number has more bits than T; *value is then as it was.
template <std::unsigned_integral T>
const char* DecodeVarint(const char* p, const char* end, T* value) noexcept {
  constexpr unsigned kBits = sizeof(T) * 8;
  T sum = 0;
  for (unsigned shift = 0; shift < kBits && p != end; shift += 7) {
    const unsigned byte = static_cast<unsigned char>(*p++);
    const T group = byte & 0x7f;
    if (shift + 7 > kBits && group >> (kBits - shift) != 0) return nullptr;
    sum |= group << shift;
    if (byte < 0x80) {
      *value = sum;
      return p;
    }
  }
  return nullptr;
}

// The same, fastest for a single byte.
inline const char* DecodeVarint32(const char* p, const char* end,
                                  std::uint32_t* value) noexcept {
  if (p != end && static_cast<unsigned char>(*p) < 0x80) {
    *value = static_cast<unsigned char>(*p);
    return p + 1;
  }
  return DecodeVarint(p, end, value);
}
inline const char* DecodeVarint64(const char* p, const char* end,
                                  std::uint64_t* value) noexcept {
  return DecodeVarint(p, end, value);
}

// These remove what they read from the front of *in.  False: it is missing or
// malformed; *in and *value are then as they were.
inline bool ReadVarint32(Slice* in, std::uint32_t* value) noexcept {
  const char* const end = in->data() + in->size();
  const char* const p = DecodeVarint32(in->data(), end, value);
  if (p == nullptr) return false;
  *in = Slice(p, static_cast<std::size_t>(end - p));
  return true;
}
inline bool ReadVarint64(Slice* in, std::uint64_t* value) noexcept {
  const char* const end = in->data() + in->size();
  const char* const p = DecodeVarint64(in->data(), end, value);
  if (p == nullptr) return false;
  *in = Slice(p, static_cast<std::size_t>(end - p));
  return true;
}
inline bool ReadLengthPrefixed(Slice* in, Slice* value) noexcept {
  Slice rest = *in;
  std::uint32_t length;
  if (!ReadVarint32(&rest, &length) || length > rest.size()) return false;
  *value = rest.substr(0, length);
  *in = rest.substr(length);
  return true;
}

// Returns bytes[at] as a number.  REQUIRES: at < bytes.size()
inline unsigned ByteAt(Slice bytes, std::size_t at) noexcept {
  return static_cast<unsigned char>(bytes[at]);
}

}  // namespace tamis
