// SPDX-License-Identifier: Apache-2.0
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

// How wide the parts of the picture are.
struct PictureLayout {
  // Columns that a row's left and right text may take together, with a space
  // between them, and those of a remark.
  std::size_t row = 36;
  std::size_t remark = 28;

  // For so many columns in all.  Fewer than 80 are taken for 80, and more than
  // 160 make nothing clearer.
  static PictureLayout For(std::size_t columns);
};

// The first columns of `text`; where that is not all, the last is "…".
// REQUIRES: columns > 0
std::string CutTo(std::string_view text, std::size_t columns);

// Bytes as `tamis db scan` shows them, or with `hex` as hexadecimal digits.
std::string ShownBytes(Slice bytes, bool hex);

// "apple … zebra" in at most `room` columns; what both share at their start
// goes first.  REQUIRES: room >= 7
std::string ShortRange(const std::string& first, const std::string& last,
                       std::size_t room);

// One box for the memory and one for each level that the lookup came to, in
// order.  Tables that were skipped in a row are folded where they are many.
std::vector<PictureBox> BoxesOf(const Explanation& told,
                                const StoreStats& stats, bool hex,
                                const PictureLayout& layout = {});

}  // namespace tamis::tools
