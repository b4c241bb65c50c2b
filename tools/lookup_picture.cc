// SPDX-License-Identifier: Apache-2.0
#include "lookup_picture.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "absent_keys.h"
#include "lookup_boxes.h"
#include "pair_text.h"
#include "text.h"

namespace tamis::tools {
namespace {

using Outcome = LookupStep::Outcome;

//  <- label -> ┌────── row ──────┐  <- remark ->
constexpr std::size_t kLabelColumns = 10;

// The lines of a box; `exit` is where the arrow leaves it.
struct Strokes {
  std::string_view top_left, across, top_right, side;
  std::string_view bottom_left, bottom_right, exit;
};

Strokes StrokesFor(Tone tone) {
  if (tone == Tone::kPassedOver) return {"╭", "┄", "╮", "┆", "╰", "╯", "┬"};
  if (tone == Tone::kRead) return {"┌", "─", "┐", "│", "└", "┘", "┬"};
  return {"╔", "═", "╗", "║", "╚", "╝", "╤"};
}

// Returns `text` in the colour of the tone.
std::string InTone(const Console& console, Tone tone, std::string_view text) {
  switch (tone) {
    case Tone::kPassedOver:
      return Painted(console, Colour::kDim, text);
    case Tone::kFound:
      return Painted(console, Colour::kGreen, text);
    case Tone::kDeleted:
      return Painted(console, Colour::kYellow, text);
    case Tone::kFailed:
      return Painted(console, Colour::kRed, text);
    case Tone::kRead:
      break;
  }
  return std::string(text);
}

std::string Repeated(std::string_view stroke, std::size_t times) {
  std::string line;
  for (std::size_t i = 0; i < times; ++i) line += stroke;
  return line;
}

std::string Spaces(std::size_t columns) { return std::string(columns, ' '); }

class Drawing {
 public:
  Drawing(const Console& console, const PictureLayout& layout)
      : console_(console),
        layout_(layout),
        inner_(layout.row + 2),  // a space either side
        spine_in_box_(inner_ / 2),
        spine_(kLabelColumns + 1 + spine_in_box_) {}

  // Adds text, centred on the spine as far as possible.
  void AddText(std::string_view text, Colour colour) {
    const std::string shown =
        CutTo(text, kLabelColumns + inner_ + layout_.remark);
    const std::size_t half = Columns(shown) / 2;
    const std::size_t at = half + 2 > spine_ ? 2 : spine_ - half;
    drawn_ += Spaces(at) + Painted(console_, colour, shown) + "\n";
  }

  void AddSpine(std::string_view stroke) {
    drawn_ += Spaces(spine_).append(stroke) + "\n";
  }

  void AddBox(const PictureBox& box) {
    const Tone tone = box.tone();
    const Strokes strokes = StrokesFor(tone);
    AddBorder(tone, strokes.top_left, strokes.top_right, "▼");
    for (std::size_t i = 0; i < box.rows.size(); ++i) {
      AddRow(i == 0 ? box.label : "", box.rows[i], tone, strokes.side);
    }
    AddBorder(tone, strokes.bottom_left, strokes.bottom_right, strokes.exit);
  }

  void AddLine(const std::string& line) { drawn_ += line + "\n"; }
  void AddLines(const std::string& lines) { drawn_ += lines; }

  std::string Take() { return std::move(drawn_); }

 private:
  void AddBorder(Tone tone, std::string_view left, std::string_view right,
                 std::string_view spine) {
    const std::string_view across = StrokesFor(tone).across;
    const std::string begin =
        std::string(left) + Repeated(across, spine_in_box_);
    const std::string end =
        Repeated(across, inner_ - spine_in_box_ - 1).append(right);
    drawn_ += Spaces(kLabelColumns) +
              InTone(console_, tone, begin)
                  .append(spine == "▼" ? std::string(spine)
                                       : InTone(console_, tone, spine)) +
              InTone(console_, tone, end) + "\n";
  }

  void AddRow(std::string_view label, const PictureRow& row, Tone box_tone,
              std::string_view side) {
    const std::size_t lines = std::max<std::size_t>(row.remarks.size(), 1);
    for (std::size_t i = 0; i < lines; ++i) {
      const std::string text =
          i == 0 ? row.left +
                       Spaces(layout_.row - Columns(row.left) -
                              Columns(row.right)) +
                       row.right
                 : Spaces(layout_.row);
      drawn_ += fmt::format("  {:<{}}", i == 0 ? label : "", kLabelColumns - 2);
      drawn_ += InTone(console_, box_tone, side) + " " +
                InTone(console_, row.tone, text) + " " +
                InTone(console_, box_tone, side);
      if (i < row.remarks.size()) {
        drawn_ += "  " + InTone(console_, row.tone,
                                CutTo(row.remarks[i], layout_.remark));
      }
      drawn_ += "\n";
    }
  }

  const Console& console_;
  const PictureLayout layout_;
  const std::size_t inner_;
  const std::size_t spine_in_box_;
  const std::size_t spine_;  // the column of the arrows
  std::string drawn_;
};

// Counts of tables by outcome.
struct Tally {
  std::uint64_t all = 0;
  std::uint64_t not_spanning = 0;
  std::uint64_t filtered = 0;
  std::uint64_t filtered_by_block = 0;
  std::uint64_t read = 0;
  std::uint64_t not_asked = 0;
  std::uint64_t blocks = 0;
};

Tally TallyOf(const Explanation& told, const StoreStats& stats) {
  Tally tally;
  for (const LevelStats& level : stats.levels) tally.all += level.tables;
  std::uint64_t asked = 0;
  for (const LookupStep& step : told.steps) {
    if (step.place != LookupStep::Place::kTable) continue;
    ++asked;
    tally.blocks += step.blocks_read;
    if (step.outcome == Outcome::kOutOfRange) {
      ++tally.not_spanning;
    } else if (step.outcome == Outcome::kFilterAbsent) {
      const bool by_block =
          step.ruled_out_by == LookupStep::Layer::kBlockFilter ||
          step.ruled_out_by == LookupStep::Layer::kLevelDbBlockFilter;
      ++(by_block ? tally.filtered_by_block : tally.filtered);
    } else {
      ++tally.read;
    }
  }
  tally.not_asked = tally.all - std::min(tally.all, asked);
  return tally;
}

// Adds a summary: the number of tables, and why so few of them were read.
void AddTally(const Tally& tally, Drawing* drawing) {
  if (tally.all == 0) return;
  const std::string all = Grouped(tally.all);
  const auto add = [&](std::uint64_t count, const std::string& what) {
    if (count == 0) return;
    drawing->AddLine(
        fmt::format("  {:>{}}  {}", Grouped(count), all.size(), what));
  };
  drawing->AddLine("");
  add(tally.all,
      fmt::format("{}, of which", Plural(tally.all, "table", "tables")));
  add(tally.not_spanning,
      std::string(Plural(tally.not_spanning, "does", "do")) +
          " not span this key");
  add(tally.filtered, "ruled out by a filter");
  add(tally.filtered_by_block, "ruled out by the filter of a block");
  add(tally.read, fmt::format("looked into, {} {} read", Grouped(tally.blocks),
                              Plural(tally.blocks, "block", "blocks")));
  add(tally.not_asked, "not asked: the answer was found before");
}

// What the filters of one level are that the lookup asked.
struct AskedFilters {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  double keys = 0;
  double rates = 0;  // added up
  std::set<std::string> kinds;

  void Add(const LookupStep& step) {
    ++count;
    bytes += step.filter_bytes;
    if (step.filter_bits_per_key > 0) {
      keys +=
          8 * static_cast<double>(step.filter_bytes) / step.filter_bits_per_key;
    }
    rates += step.filter_rate;
    kinds.insert(step.filter);
  }
};

std::vector<std::string> CellsOf(std::size_t level, const AskedFilters& filters,
                                 const LevelStats& stats) {
  std::string kinds;
  for (const std::string& kind : filters.kinds) {
    kinds += (kinds.empty() ? "" : ", ") + kind;
  }
  std::vector<std::string> cells = {
      fmt::format("  level {}", level),
      Grouped(filters.count),
      kinds,
      filters.keys > 0
          ? fmt::format("{:.1f}",
                        8 * static_cast<double>(filters.bytes) / filters.keys)
          : "-",
      HumanBytes(filters.bytes),
      Percent(filters.rates / static_cast<double>(filters.count))};
  if (stats.filters.probes > 0) cells.push_back(ObservedRate(stats.filters));
  return cells;
}

// Adds a table of the filters that were asked, level by level.
void AddFilters(const Explanation& told, const StoreStats& stats,
                Drawing* drawing) {
  std::array<AskedFilters, kStoreLevels> levels;
  bool any = false;
  for (const LookupStep& step : told.steps) {
    if (step.place != LookupStep::Place::kTable || step.filter.empty()) {
      continue;
    }
    levels[static_cast<std::size_t>(step.level)].Add(step);
    any = true;
  }
  if (!any) return;
  std::vector<std::string> heading = {"  asked",      "filters", "kind",
                                      "bits per key", "held",    "expected"};
  if (stats.filters().probes > 0) heading.emplace_back("observed");
  Table table(std::move(heading));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].count == 0) continue;
    table.AddRow(CellsOf(i, levels[i], stats.levels[i]));
  }
  drawing->AddLine("");
  drawing->AddLines(table.ToString());
}

void AddNotes(const Explanation& told, Drawing* drawing) {
  for (const LookupStep& step : told.steps) {
    if (step.place != LookupStep::Place::kTable || step.note.empty()) continue;
    drawing->AddLine(
        fmt::format("\n  {:06}: {}", step.file_number, Printable(step.note)));
  }
}

void AddEnd(const Explanation& told, bool hex, Drawing* drawing) {
  if (told.status.ok()) {
    const std::string value = ShownBytes(told.value, hex);
    drawing->AddText(value.empty() ? "(an empty value)" : value, Colour::kBold);
  } else if (told.status.code() == StatusCode::kNotFound) {
    drawing->AddText("no such key", Colour::kBold);
  } else {
    drawing->AddText("no answer", Colour::kRed);
  }
}

}  // namespace

std::string DrawLookup(const Console& console, Slice key,
                       const Explanation& told, const StoreStats& stats,
                       bool hex) {
  const auto layout =
      PictureLayout::For(static_cast<std::size_t>(console.out_columns));
  Drawing drawing(console, layout);
  const std::string shown = ShownBytes(key, hex);
  drawing.AddText(shown.empty() ? "(the empty key)" : shown, Colour::kBold);
  for (const PictureBox& box : BoxesOf(told, stats, hex, layout)) {
    drawing.AddSpine("│");
    drawing.AddBox(box);
  }
  drawing.AddSpine("▼");
  AddEnd(told, hex, &drawing);
  AddNotes(told, &drawing);
  AddTally(TallyOf(told, stats), &drawing);
  AddFilters(told, stats, &drawing);
  return drawing.Take();
}

}  // namespace tamis::tools
