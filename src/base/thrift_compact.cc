// SPDX-License-Identifier: Apache-2.0
#include "base/thrift_compact.h"

#include <limits>

namespace tamis {
namespace {

constexpr unsigned kNibbleBits = 4;
constexpr std::uint8_t kNibble = 15;
constexpr std::uint64_t kLongList = 15;  // the count follows as a varint
constexpr std::uint64_t kDoubleBytes = 8;
constexpr std::uint64_t kUuidBytes = 16;

// Returns the bits of an integer of that type; 0: not an integer type.
unsigned IntegerBits(ThriftType type) noexcept {
  switch (type) {
    case ThriftType::kI8:
      return 8;
    case ThriftType::kI16:
      return 16;
    case ThriftType::kI32:
      return 32;
    case ThriftType::kI64:
      return 64;
    default:
      return 0;
  }
}

}  // namespace

std::uint8_t ThriftCompactReader::ReadByte() noexcept {
  if (failed_ || left() == 0) {
    Fail();
    return 0;
  }
  return static_cast<std::uint8_t>(bytes_[position_++]);
}

// Padded forms (a last byte of 0) are accepted, too; a number of more than 64
// bits is damage.
std::uint64_t ThriftCompactReader::ReadVarint() noexcept {
  constexpr unsigned kBitsPerByte = 7;
  constexpr unsigned kLastShift = 63;
  constexpr std::uint8_t kMore = 0x80;
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift <= kLastShift; shift += kBitsPerByte) {
    const std::uint8_t byte = ReadByte();
    if (shift == kLastShift && byte > 1) Fail();
    value |= std::uint64_t{byte & (kMore - 1u)} << shift;
    if ((byte & kMore) == 0) break;
  }
  return failed_ ? 0 : value;
}

std::int64_t ThriftCompactReader::ReadZigzag() noexcept {
  const std::uint64_t value = ReadVarint();
  return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
}

std::int64_t ThriftCompactReader::ReadInteger(ThriftType type) noexcept {
  const unsigned bits = IntegerBits(type);
  if (bits == 0) {
    Fail();
    return 0;
  }
  if (type == ThriftType::kI8) return static_cast<std::int8_t>(ReadByte());
  const std::int64_t value = ReadZigzag();
  const std::int64_t sign = value >> (bits - 1);
  if (sign != 0 && sign != -1) Fail();
  return failed_ ? 0 : value;
}

Slice ThriftCompactReader::ReadBinary() noexcept {
  const std::uint64_t size = ReadVarint();
  const std::size_t start = position_;
  SkipBytes(size);
  return failed_ ? Slice() : bytes_.substr(start, position_ - start);
}

ThriftField ThriftCompactReader::ReadFieldHeader(
    std::int16_t previous_id) noexcept {
  const std::uint8_t byte = ReadByte();
  ThriftField field;
  field.type = static_cast<ThriftType>(byte & kNibble);
  if (failed_ || field.type == ThriftType::kStop) return {};
  const unsigned step = byte >> kNibbleBits;
  const std::int64_t id =
      step != 0 ? previous_id + std::int64_t{step} : ReadZigzag();
  if (id < std::numeric_limits<std::int16_t>::min() ||
      id > std::numeric_limits<std::int16_t>::max()) {
    Fail();
  }
  field.id = static_cast<std::int16_t>(id);
  return failed_ ? ThriftField() : field;
}

ThriftCompactReader::ListHeader ThriftCompactReader::ReadListHeader() noexcept {
  const std::uint8_t byte = ReadByte();
  ListHeader list;
  list.element = static_cast<ThriftType>(byte & kNibble);
  list.count = byte >> kNibbleBits;
  if (list.count == kLongList) list.count = ReadVarint();
  return failed_ ? ListHeader() : list;
}

void ThriftCompactReader::SkipElement(ThriftType type) noexcept {
  SkipElementAt(type, 0);
}

// The header of a field holds its Boolean value; an element has a separate
// byte.
void ThriftCompactReader::SkipElementAt(ThriftType type,
                                        unsigned depth) noexcept {
  if (type == ThriftType::kTrue || type == ThriftType::kFalse) {
    SkipBytes(1);
  } else {
    Skip(type, depth);
  }
}

void ThriftCompactReader::SkipBytes(std::uint64_t count) noexcept {
  if (failed_ || count > left()) {
    Fail();
    return;
  }
  position_ += static_cast<std::size_t>(count);
}

void ThriftCompactReader::SkipMap(unsigned depth) noexcept {
  const std::uint64_t count = ReadVarint();
  if (count == 0) return;  // an empty map has no byte of types
  const std::uint8_t types = ReadByte();
  for (std::uint64_t i = 0; i < count && ok(); ++i) {
    SkipElementAt(static_cast<ThriftType>(types >> kNibbleBits), depth);
    SkipElementAt(static_cast<ThriftType>(types & kNibble), depth);
  }
}

void ThriftCompactReader::Skip(ThriftType type, unsigned depth) noexcept {
  if (failed_ || depth >= kMaxThriftDepth) return Fail();
  switch (type) {
    case ThriftType::kTrue:
    case ThriftType::kFalse:
      return;
    case ThriftType::kI8:
      return SkipBytes(1);
    case ThriftType::kI16:
    case ThriftType::kI32:
    case ThriftType::kI64:
      static_cast<void>(ReadVarint());
      return;
    case ThriftType::kDouble:
      return SkipBytes(kDoubleBytes);
    case ThriftType::kUuid:
      return SkipBytes(kUuidBytes);
    case ThriftType::kBinary:
      return SkipBytes(ReadVarint());
    case ThriftType::kMap:
      return SkipMap(depth + 1);
    case ThriftType::kList:
    case ThriftType::kSet:
      return ReadList([&](ThriftType element) {
        SkipElementAt(element, depth + 1);
        return true;
      });
    case ThriftType::kStruct:
      return ReadStruct([&](ThriftField field) {
        Skip(field.type, depth + 1);
        return true;
      });
    case ThriftType::kStop:  // no value has this type
      break;
  }
  Fail();
}

}  // namespace tamis
