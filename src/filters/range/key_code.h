// SPDX-License-Identifier: Apache-2.0
// filters/range/key_code.h -- a code that maps byte strings to 64-bit numbers
// and keeps their order: a <= b implies CodeOf(a) <= CodeOf(b), for any two
// strings and whatever the tables say.  It works as an arithmetic coder does.
// A key starts with the interval of all numbers; each of its bytes narrows it
// to a part whose size is the byte's share, in its context, among the keys that
// the tables were made of.  So these keys are spread evenly, and bytes that
// are always the same cost nothing.  The code is the start of the interval.
//
// A byte without a share has the code where its interval would begin, and ends
// the coding.  So does the end of the key, and an interval of fewer than 2^stop
// numbers, which is much less than the filter can tell apart.
//
// Filters know hashes; this one is the exception that knows keys, because a
// hash keeps no order.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/slice.h"

namespace tamis {

// What tells contexts apart.  The numbers are stored in files.
enum class RangeContext : std::uint8_t {
  kPosition = 0,  // the number of bytes before
  kField = 1,     // the fields before, and the bytes before in the field
  kFamily = 2,    // the same, and the first field
  kDigits = 3,    // all bytes before but digits, and the digits just before
  kOrder1 = 4,    // the byte before
  kOrder2 = 5,    // two bytes before
  kOrder3 = 6,    // three bytes before
};
inline constexpr std::uint8_t kRangeContexts = 7;

inline constexpr unsigned kMaxContextBits = 12;
inline constexpr unsigned kMaxStopBits = 48;
inline constexpr std::size_t kMaxCodeTableBytes =
    65534;  // offsets have 16 bits
inline constexpr std::uint16_t kNoTable = 0xffff;
inline constexpr std::uint32_t kWholeShare = std::uint32_t{1} << 16;

// Walks over a key and returns the number of each byte's context.
template <RangeContext kContext>
class ContextWalk {
 public:
  // Returns the slot of the next byte among `1 << bits` slots.  Contexts may
  // share a slot, which makes the code worse and never wrong.
  std::uint32_t Slot(unsigned bits) const noexcept {
    if constexpr (kContext == RangeContext::kPosition) {
      const std::uint32_t last = (std::uint32_t{1} << bits) - 1;
      return offset_ < last ? offset_ : last;
    } else {
      std::uint32_t mixed = past_ * 0x2c1b3c6du + offset_ * 0x297a2d39u;
      mixed ^= mixed >> 15;
      return static_cast<std::uint32_t>(mixed * 0x9e3779b1u) >> (32 - bits);
    }
  }

  // No branch depends on the byte: where it is a letter, a digit or neither is
  // not to be predicted.
  void Push(std::uint8_t byte) noexcept {
    if constexpr (kContext == RangeContext::kPosition) {
      ++offset_;
    } else if constexpr (kContext == RangeContext::kField) {
      const std::uint32_t ends = IsSeparator(byte);
      past_ += ends;
      offset_ = (offset_ + 1) & (ends - 1);
    } else if constexpr (kContext == RangeContext::kFamily) {
      const std::uint32_t ends = IsSeparator(byte);
      const std::uint32_t added = ends != 0 ? 0x101 : byte + 1u;
      const std::uint32_t counts = 0u - (in_first_ | ends);
      past_ = (counts & (past_ * 0x01000193u + added)) | (~counts & past_);
      offset_ = (offset_ + 1 - in_first_) & (ends - 1);
      in_first_ &= ~ends;
    } else if constexpr (kContext == RangeContext::kDigits) {
      const bool is_digit = byte >= '0' && byte <= '9';
      past_ = is_digit ? past_ : past_ * 0x01000193u + byte + 1;
      offset_ = is_digit ? offset_ + 1 : 0;
    } else {
      constexpr unsigned kBytes = static_cast<unsigned>(kContext) -
                                  static_cast<unsigned>(RangeContext::kOrder1) +
                                  1;
      past_ = (past_ << 8 | byte) & ((std::uint64_t{1} << 8 * kBytes) - 1);
      if (offset_ < kBytes) ++offset_;
    }
  }

 private:
  // 1: ASCII that is neither a letter nor a digit separates fields.
  static std::uint32_t IsSeparator(std::uint8_t byte) noexcept {
    // All of the first 64 bytes but digits, of the second but letters.
    static constexpr std::uint64_t kSets[] = {0xfc00ffffffffffff,
                                              0xf8000001f8000001, 0, 0};
    return static_cast<std::uint32_t>(kSets[byte >> 6] >> (byte & 63)) & 1;
  }

  std::uint32_t past_ = 0;
  std::uint32_t offset_ = 0;
  std::uint32_t in_first_ = 1;
};

// A table of a code, made ready for queries: the shares of all bytes from the
// first symbol to the last one.
struct CodeTable {
  enum class Kind : std::uint8_t {
    kUniform,   // there is no table: all bytes are equally likely
    kConstant,  // one symbol, which leaves the interval as it is
    kReady,     // its limits are among KeyCode::limits_
    kStored     // it is searched as it is stored
  };

  std::uint32_t limits = 0;  // where they begin
  std::uint16_t stored = 0;  // where it is among the stored tables
  std::uint16_t span = 0;    // bytes from the first symbol to the last one
  std::uint8_t first = 0;
  Kind kind = Kind::kUniform;
};

// Reads a code from the bytes of a filter.
//
//   0  context                 1  bits of a slot's number
//   2  bytes of the prefix, 2  4  bytes of the tables, 2
//   6  stop bits               7  0, reserved
//   8  the prefix, the slots (2 bytes each: where the table is), the tables
//
// A table has a kind, a count and, for each symbol in ascending order, where
// its share begins; docs/formats/tamis-range.md.
class KeyCode {
 public:
  // Nothing: the bytes are not a code.  Afterwards no key, whatever its bytes,
  // makes CodeOf() read outside `bytes`.  REQUIRES: they outlive the code.
  static std::optional<KeyCode> Parse(Slice bytes);

  // Returns whether the bytes begin with what only a later version writes.
  static bool IsReserved(Slice bytes) noexcept;

  std::uint64_t CodeOf(Slice key) const noexcept;

  // The codes of keys in order, without repeats: as of CodeOf(), but faster.
  // REQUIRES: the keys ascend and have the prefix
  std::vector<std::uint64_t> CodesOf(std::span<const Slice> sorted) const;

  // The codes of the ends of a range: a key between them, if any, has a code
  // between theirs.
  struct Ends {
    bool empty;  // no key that the code was made of is in the range
    std::uint64_t lo;
    std::uint64_t hi;
  };
  // REQUIRES: lo <= hi
  Ends EndsOf(Slice lo, Slice hi) const noexcept;

  // EndsOf() for ranges that have one end: the code of the keys that are at
  // least `from`, and of those that are at most `to`.  Nothing: there are none.
  std::optional<std::uint64_t> LowEndOf(Slice from) const noexcept;
  std::optional<std::uint64_t> HighEndOf(Slice to) const noexcept;

  // Sets *key to the first string with the prefix whose code is at least
  // `code`; instead of a very long one, to one before or after it: kDown, all
  // strings with the prefix that are smaller have smaller codes; kUp, no string
  // that is greater has.  False: there is none.
  enum class Rounding { kDown, kUp };
  bool FirstKeyWith(std::uint64_t code, Rounding rounding,
                    std::string* key) const;

  Slice prefix() const noexcept { return prefix_; }
  RangeContext context() const noexcept { return context_; }

  // The memory of what is made ready for queries.
  std::size_t prepared_bytes() const noexcept {
    return numbers_.size() * sizeof(numbers_[0]) +
           read_.size() * sizeof(read_[0]) +
           limits_.size() * sizeof(limits_[0]);
  }

  // The size of the code in bytes.
  std::size_t size() const noexcept { return size_; }

 private:
  template <RangeContext kContext>
  friend class KeyCoder;
  bool ReadTables();
  bool IsTable(std::size_t at) const noexcept;
  CodeTable ReadTable(std::uint16_t at);

  RangeContext context_ = RangeContext::kPosition;
  unsigned slot_bits_ = 0;
  std::uint64_t min_width_ = 1;  // of an interval that is still narrowed
  std::size_t table_bytes_ = 0;
  Slice prefix_;
  const std::uint8_t* slots_ = nullptr;
  const std::uint8_t* tables_ = nullptr;
  std::size_t size_ = 0;
  // What queries use in place of the slots and tables as they are stored.
  std::vector<std::uint16_t> numbers_;  // of the slots' tables
  std::vector<CodeTable> read_;         // number 0: uniform
  // Where the share of a byte begins is where that of the one before ends; 2^16
  // is stored as 0.
  std::vector<std::uint16_t> limits_;
};

// A table's first byte.
inline constexpr std::uint8_t kListTable = 0;  // symbols, then their shares
inline constexpr std::uint8_t kSpanTable = 1;  // all bytes from the first on

}  // namespace tamis
