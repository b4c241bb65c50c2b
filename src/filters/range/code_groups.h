// SPDX-License-Identifier: Apache-2.0
// filters/range/code_groups.h -- a set of ascending 64-bit codes in a few bits
// per code, which answers whether one of them may be in a range.
//
// Neighbours form groups of up to 256, cut where the gaps are large.  A group
// has its first code exactly; the space from its first to its last code is
// divided into equal cells, and the numbers of the cells that hold a code are
// kept in Elias-Fano form: low bits as they are, high bits in unary.  All
// groups have the same number of cells per code, so all have the same rate.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tamis/slice.h"

namespace tamis {

inline constexpr std::size_t kMaxGroupCodes = 256;
inline constexpr std::size_t kGroupBytes = 14;
inline constexpr unsigned kMaxLowBits = 30;

// The size of the cells.
struct CellShape {
  unsigned low_bits = 0;
  std::uint32_t highs = 0;  // values of the high bits per code, times 256

  // A group of so many codes has so many values of the high bits.
  std::uint64_t HighsOf(std::uint64_t codes) const noexcept {
    return (codes * highs + 255) / 256;
  }
  // Where the high bits of group number `group` begin, whose first code has
  // number `code`.
  std::uint64_t HighsAt(std::uint64_t group,
                        std::uint64_t code) const noexcept {
    return code + code * highs / 256 + group;
  }
  double cells_per_code() const noexcept {
    return static_cast<double>(highs) / 256 *
           static_cast<double>(std::uint64_t{1} << low_bits);
  }
};

// From a code's distance to the first of its group to its cell.
struct CellScale {
  // Returns the scale with which `span` is in the last of `cells` cells or a
  // little before it.  REQUIRES: 0 < cells < 2^48
  static CellScale For(std::uint64_t span, std::uint64_t cells) noexcept;

  std::uint64_t CellOf(std::uint64_t distance) const noexcept;

  // The least distance with this cell or a higher one; the greatest number: no
  // smaller one has.
  std::uint64_t FirstWith(std::uint64_t cell) const noexcept;

  // log2 of the distances that share a cell, rounded down; 0 if it is less.
  unsigned width_bits() const noexcept;

  std::uint16_t bits = 0;  // as stored: the shift, then 9 bits of the factor
};

// Returns the least width_bits() of the groups' cells; 64: there are no groups.
unsigned MinWidthBits(const CellShape& shape,
                      std::span<const std::uint64_t> codes,
                      std::span<const std::uint32_t> starts) noexcept;

// Where groups begin: the numbers of their first codes.
// REQUIRES: `codes` ascend, without repeats
std::vector<std::uint32_t> CutGroups(std::span<const std::uint64_t> codes);

// The size in bytes of `groups` groups of `codes` codes.
std::uint64_t CodeGroupsBytes(const CellShape& shape, std::uint64_t groups,
                              std::uint64_t codes) noexcept;

// Writes CodeGroupsBytes() bytes.  REQUIRES: they are 0
void WriteCodeGroups(const CellShape& shape,
                     std::span<const std::uint64_t> codes,
                     std::span<const std::uint32_t> starts, char* out) noexcept;

// Returns which part of the codes shares a cell with another: the rate of false
// positives for keys that are spread as these are.
double SharedCells(const CellShape& shape, std::span<const std::uint64_t> codes,
                   std::span<const std::uint32_t> starts) noexcept;

// Answers from the bytes of groups.
class CodeGroups {
 public:
  struct Layout {
    CellShape shape;
    std::uint64_t groups = 0;
    std::uint64_t codes = 0;
  };

  // Nothing: the bytes are not of this layout.  Afterwards no query reads
  // outside `bytes`.  REQUIRES: they outlive the groups
  static std::optional<CodeGroups> Parse(const Layout& layout, Slice bytes);

  // False only if certainly no code is between the two, which are included.
  // REQUIRES: lo <= hi
  bool MayContain(std::uint64_t lo, std::uint64_t hi) const noexcept;

  // Returns a number, at least `code`, such that certainly no code of the set
  // is from `code` on and below it.  Nothing: certainly none is at least
  // `code`.
  std::optional<std::uint64_t> SkipForward(std::uint64_t code) const noexcept;

  // The same downwards: a number, at most `code`, such that certainly no code
  // of the set is above it and at most `code`.
  std::optional<std::uint64_t> SkipBackward(std::uint64_t code) const noexcept;

  // The memory of what is made ready for queries.
  std::size_t prepared_bytes() const noexcept {
    return tops_.size() * sizeof(tops_[0]);
  }

 private:
  // A group whose fields were read.
  struct Group {
    std::uint64_t number;
    std::uint64_t first;  // its first code
    std::uint64_t start;  // the number of that
    std::uint64_t codes;  // how many there are
    std::uint64_t highs;  // values of the high bits
    std::uint64_t begin;  // where its high bits are
    std::uint64_t end;
    CellScale scale;
  };

  // Returns whether a group's bytes are whole: as many codes as it claims.
  bool GroupIsWhole(std::uint64_t group) const noexcept;
  void MakeTops();
  std::uint64_t FirstOf(std::uint64_t group) const noexcept;
  std::uint64_t StartOf(std::uint64_t group) const noexcept;
  // The number of the last group whose first code is at most `code`; nothing:
  // there is none.
  std::optional<std::uint64_t> Find(std::uint64_t code) const noexcept;
  Group ReadGroup(std::uint64_t group) const noexcept;
  // The cell of a code of the group, whose high bit is at `at`.
  std::uint64_t CellAt(const Group& group, std::uint64_t at,
                       std::uint64_t code) const noexcept;
  // The first cell of a code that is at least `from`.
  std::optional<std::uint64_t> CellFrom(const Group& group,
                                        std::uint64_t from) const noexcept;
  // The last cell of a code that is at most `to`.
  std::uint64_t CellUpTo(const Group& group, std::uint64_t to) const noexcept;
  std::uint64_t LowBitsOf(std::uint64_t code) const noexcept;

  Layout layout_;
  const char* groups_ = nullptr;
  const char* highs_ = nullptr;
  const char* lows_ = nullptr;
  unsigned top_shift_ = 63;
  // For each value of the upper bits of a code: the number of the first group
  // that begins with these or greater ones.
  std::vector<std::uint32_t> tops_;
};

}  // namespace tamis
