// lookup_boxes.h -- what the picture of a lookup says: boxes with rows in them
// and remarks beside them, before anything is drawn.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/store.h"

namespace tamis::tools {

// What became of the lookup at a place.  The later of two is the stronger.
enum class Tone { kPassedOver, kRead, kFound, kDeleted, kFailed };

struct PictureRow {
  std::string left;
  std::string right;
  std::vector<std::string> remarks;  // one line each
  Tone tone = Tone::kPassedOver;
};

struct PictureBox {
  std::string label;  // "memory", "level 0"
  std::vector<PictureRow> rows;

  Tone tone() const;  // the strongest of its rows
};

// Columns that a row's left and right text may take together, with a space
// between them, and those of a remark.
inline constexpr std::size_t kRowColumns = 36;
inline constexpr std::size_t kRemarkColumns = 28;

// How many columns `text` takes.  REQUIRES: of the characters beyond ASCII it
// has only such as take one
std::size_t Columns(std::string_view text);

// The first `columns` of `text`; where that is not all, the last is "…".
// REQUIRES: as above, and columns > 0
std::string CutTo(std::string_view text, std::size_t columns);

// Bytes as ASCII, or with `hex` as hexadecimal digits.
std::string AsciiText(Slice bytes, bool hex);

// "apple … zebra" in at most `room` columns; what both share at their start
// goes first.  REQUIRES: both are ASCII, and room >= 7
std::string ShortRange(const std::string& first, const std::string& last,
                       std::size_t room);

// One box for the memory and one for each level that the lookup came to, in
// order.  Tables that were skipped in a row are folded where they are many.
std::vector<PictureBox> BoxesOf(const Explanation& told,
                                const StoreStats& stats, bool hex);

}  // namespace tamis::tools
