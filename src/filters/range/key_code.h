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

  void Push(std::uint8_t byte) noexcept {
    if constexpr (kContext == RangeContext::kPosition) {
      ++offset_;
    } else if constexpr (kContext == RangeContext::kField) {
      if (IsSeparator(byte)) {
        past_ += 1;
        offset_ = 0;
      } else {
        ++offset_;
      }
    } else if constexpr (kContext == RangeContext::kFamily) {
      PushFamily(byte);
    } else if constexpr (kContext == RangeContext::kDigits) {
      if (byte >= '0' && byte <= '9') {
        ++offset_;
      } else {
        past_ = past_ * 0x01000193u + byte + 1;
        offset_ = 0;
      }
    } else {
      constexpr unsigned kBytes = static_cast<unsigned>(kContext) -
                                  static_cast<unsigned>(RangeContext::kOrder1) +
                                  1;
      past_ = (past_ << 8 | byte) & ((std::uint64_t{1} << 8 * kBytes) - 1);
      if (offset_ < kBytes) ++offset_;
    }
  }

 private:
  // ASCII that is neither a letter nor a digit separates fields.
  static bool IsSeparator(std::uint8_t byte) noexcept {
    const auto letter = static_cast<std::uint8_t>((byte | 0x20) - 'a');
    const auto digit = static_cast<std::uint8_t>(byte - '0');
    return byte < 0x80 && letter >= 26 && digit >= 10;
  }

  void PushFamily(std::uint8_t byte) noexcept {
    if (IsSeparator(byte)) {
      past_ = past_ * 0x01000193u + 0x101;
      in_first_ = false;
      offset_ = 0;
    } else if (in_first_) {
      past_ = past_ * 0x01000193u + byte + 1;
    } else {
      ++offset_;
    }
  }

  std::uint32_t past_ = 0;
  std::uint32_t offset_ = 0;
  bool in_first_ = true;
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
  static std::optional<KeyCode> Parse(Slice bytes) noexcept;

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

  // The size of the code in bytes.
  std::size_t size() const noexcept { return size_; }

 private:
  template <RangeContext kContext>
  friend class KeyCoder;
  bool TablesAreWhole() const noexcept;
  bool IsTable(std::size_t at) const noexcept;

  RangeContext context_ = RangeContext::kPosition;
  unsigned slot_bits_ = 0;
  std::uint64_t min_width_ = 1;  // of an interval that is still narrowed
  std::size_t table_bytes_ = 0;
  Slice prefix_;
  const std::uint8_t* slots_ = nullptr;
  const std::uint8_t* tables_ = nullptr;
  std::size_t size_ = 0;
};

// A table's first byte.
inline constexpr std::uint8_t kListTable = 0;  // symbols, then their shares
inline constexpr std::uint8_t kSpanTable = 1;  // all bytes from the first on

}  // namespace tamis
