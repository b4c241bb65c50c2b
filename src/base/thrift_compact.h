// SPDX-License-Identifier: Apache-2.0
// base/thrift_compact.h -- reads values in Thrift's compact protocol from
// bytes that may be anything.
//
// The protocol: a struct is fields up to a stop byte; a field is a header
// (type, and how far its id lies above the one before) and a value; integers
// are zigzag varints.  Nothing here allocates, and every step forward takes at
// least one byte, so time is linear in the input whatever its counts say.

#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"

namespace tamis {

// As the low four bits of a field's or a list's header have them.
enum class ThriftType : std::uint8_t {
  kStop = 0,
  kTrue = 1,  // in a list or map, either of the two announces one byte each
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

// Containers within containers beyond this are taken for damage; Thrift's own
// readers stop here as well.
inline constexpr unsigned kMaxThriftDepth = 64;

struct ThriftField {
  std::int16_t id = 0;
  ThriftType type = ThriftType::kStop;
};

// Reads one value after the other.  The first thing that is wrong makes ok()
// false for good: all later reads then give zero, nothing, or the end of a
// struct, so a caller may ask once, at the end.
class ThriftCompactReader {
 public:
  // REQUIRES: `bytes` outlives the reader and what ReadBinary() returned
  explicit ThriftCompactReader(Slice bytes) noexcept : bytes_(bytes) {}

  bool ok() const noexcept { return !failed_; }
  // Bytes read so far; means nothing once ok() is false.
  std::size_t position() const noexcept { return position_; }

  // The struct that begins here, its stop byte included.  visit(field) reads
  // the field's value and returns true, or reads nothing and returns false:
  // then the value is passed over.
  template <typename Visit>
  void ReadStruct(Visit&& visit) {
    ThriftField field = ReadFieldHeader(0);
    while (field.type != ThriftType::kStop) {
      if (!visit(field)) SkipField(field.type);
      field = ReadFieldHeader(field.id);
    }
  }

  // The list or set that begins here; visit(type) does with each element as
  // it does with a field in ReadStruct().
  template <typename Visit>
  void ReadList(Visit&& visit) {
    const ListHeader list = ReadListHeader();
    for (std::uint64_t i = 0; i < list.count && ok(); ++i) {
      if (!visit(list.element)) SkipElement(list.element);
    }
  }

  // An i8, i16, i32 or i64; a value its type cannot hold is damage, and so is
  // any other type.
  std::int64_t ReadInteger(ThriftType type) noexcept;

  // Points into the bytes given to the constructor.
  Slice ReadBinary() noexcept;

  void SkipField(ThriftType type) noexcept { Skip(type, 0); }
  void SkipElement(ThriftType type) noexcept;

 private:
  struct ListHeader {
    ThriftType element = ThriftType::kStop;
    std::uint64_t count = 0;  // as stated: may be more than there is
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
