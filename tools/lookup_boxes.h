// SPDX-License-Identifier: Apache-2.0
// lookup_boxes.h -- the contents of the picture of a lookup: boxes with rows
// and remarks beside them, before anything is drawn.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/store.h"

namespace tamis::tools {

// The result of the lookup at a place.  Later values take precedence.
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

  // Returns the layout for so many columns in total, but at least 80 and at
  // most 160.
  static PictureLayout For(std::size_t columns);
};

// Returns the first columns of `text`; if that is not all, the last is "…".
// REQUIRES: columns > 0
std::string CutTo(std::string_view text, std::size_t columns);

// Returns bytes as `tamis db scan` prints them, or with `hex` as hexadecimal
// digits.
std::string ShownBytes(Slice bytes, bool hex);

// Returns "apple … zebra" in at most `room` columns; the common prefix is
// omitted first.  REQUIRES: room >= 7
std::string ShortRange(const std::string& first, const std::string& last,
                       std::size_t room);

// Returns one box for the memory and one for each level that the lookup
// reached, in order.  Long runs of skipped tables are collapsed.
std::vector<PictureBox> BoxesOf(const Explanation& told,
                                const StoreStats& stats, bool hex,
                                const PictureLayout& layout = {});

}  // namespace tamis::tools
