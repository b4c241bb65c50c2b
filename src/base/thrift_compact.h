// SPDX-License-Identifier: Apache-2.0
// base/thrift_compact.h -- reads values in Thrift's compact protocol from
// untrusted bytes.
//
// The protocol: a struct is fields up to a stop byte; a field is a header
// (type, and the difference of its id to the one before) and a value; integers
// are zigzag varints.  Nothing here allocates, and every step consumes at least
// one byte, so time is linear in the input whatever its counts are.

#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"

namespace tamis {

// The low four bits of the header of a field or list.
enum class ThriftType : std::uint8_t {
  kStop = 0,
  kTrue = 1,  // in a list or map, kTrue or kFalse means one byte per element
  kFalse = 2,
  kI8 = 3,
  kI16 = 4,
  kI32 = 5,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,  // also text
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
  kUuid = 13,
};

// Containers nested deeper than this are taken for damage; Thrift's own readers
// have the same limit.
inline constexpr unsigned kMaxThriftDepth = 64;

struct ThriftField {
  std::int16_t id = 0;
  ThriftType type = ThriftType::kStop;
};

// Reads one value after the other.  The first error makes ok() false for good:
// all later reads then return zero, nothing, or the end of a struct, so a
// caller may check once, at the end.
class ThriftCompactReader {
 public:
  // REQUIRES: `bytes` outlives the reader and what ReadBinary() returned
  explicit ThriftCompactReader(Slice bytes) noexcept : bytes_(bytes) {}

  bool ok() const noexcept { return !failed_; }
  // Bytes read so far; meaningless once ok() is false.
  std::size_t position() const noexcept { return position_; }

  // Reads the struct that begins here, including its stop byte.  visit(field)
  // reads the field's value and returns true, or reads nothing and returns
  // false: the value is then skipped.
  template <typename Visit>
  void ReadStruct(Visit&& visit) {
    ThriftField field = ReadFieldHeader(0);
    while (field.type != ThriftType::kStop) {
      if (!visit(field)) SkipField(field.type);
      field = ReadFieldHeader(field.id);
    }
  }

  // Reads the list or set that begins here; visit(type) treats each element
  // like a field in ReadStruct().
  template <typename Visit>
  void ReadList(Visit&& visit) {
    const ListHeader list = ReadListHeader();
    for (std::uint64_t i = 0; i < list.count && ok(); ++i) {
      if (!visit(list.element)) SkipElement(list.element);
    }
  }

  // Reads an i8, i16, i32 or i64; a value out of the type's range is damage,
  // and so is any other type.
  std::int64_t ReadInteger(ThriftType type) noexcept;

  // Points into the bytes given to the constructor.
  Slice ReadBinary() noexcept;

  void SkipField(ThriftType type) noexcept { Skip(type, 0); }
  void SkipElement(ThriftType type) noexcept;

 private:
  struct ListHeader {
    ThriftType element = ThriftType::kStop;
    std::uint64_t count = 0;  // as stored: may be more than there are
  };

  void Fail() noexcept { failed_ = true; }
  std::size_t left() const noexcept { return bytes_.size() - position_; }

  std::uint8_t ReadByte() noexcept;
  std::uint64_t ReadVarint() noexcept;
  std::int64_t ReadZigzag() noexcept;
  ThriftField ReadFieldHeader(std::int16_t previous_id) noexcept;
  ListHeader ReadListHeader() noexcept;

  void Skip(ThriftType type, unsigned depth) noexcept;
  void SkipElementAt(ThriftType type, unsigned depth) noexcept;
  void SkipBytes(std::uint64_t count) noexcept;
  void SkipMap(unsigned depth) noexcept;

  Slice bytes_;
  std::size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace tamis
