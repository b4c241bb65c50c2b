// SPDX-License-Identifier: Apache-2.0
#include "lookup_boxes.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "pair_text.h"
#include "text.h"

namespace tamis::tools {
namespace {

using Outcome = LookupStep::Outcome;
using Steps = std::span<const LookupStep>;

constexpr std::string_view kEllipsis = "…";

bool IsLetterOrDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

Tone ToneOf(const LookupStep& step) {
  switch (step.outcome) {
    case Outcome::kFound:
      return Tone::kFound;
    case Outcome::kFoundDeleted:
      return Tone::kDeleted;
    case Outcome::kFailed:
      return Tone::kFailed;
    case Outcome::kReadAndAbsent:
      return Tone::kRead;
    case Outcome::kOutOfRange:
    case Outcome::kFilterAbsent:
    case Outcome::kIndexAbsent:
      break;
  }
  return Tone::kPassedOver;
}

std::string_view ResultOf(Outcome outcome) {
  if (outcome == Outcome::kFound) return "found";
  return outcome == Outcome::kFoundDeleted ? "deleted" : "not here";
}

// Returns how a table was queried, and the result.
std::vector<std::string> TableRemarks(const LookupStep& step) {
  if (step.outcome == Outcome::kOutOfRange) return {"does not span this key"};
  if (step.outcome == Outcome::kFilterAbsent &&
      step.ruled_out_by == LookupStep::Layer::kLevelDbBlockFilter) {
    return {"LevelDB's filter of the", "block: not here"};
  }
  if (step.outcome == Outcome::kFilterAbsent &&
      step.ruled_out_by != LookupStep::Layer::kBlockFilter) {
    return {step.filter + " filter: not here"};
  }
  if (step.outcome == Outcome::kFailed) return {"◀ cannot be read"};
  std::vector<std::string> remarks;
  remarks.push_back(step.filter.empty() ? "no filter"
                                        : step.filter + " filter: maybe");
  if (step.outcome == Outcome::kFilterAbsent) {
    remarks.emplace_back("block filter: not here");
    return remarks;
  }
  if (step.block_filter_bytes > 0 && step.blocks_read > 0) {
    remarks.emplace_back("block filter: maybe");
  }
  if (step.outcome == Outcome::kIndexAbsent) {
    remarks.emplace_back("index: not here");
    return remarks;
  }
  const bool answers = ToneOf(step) != Tone::kRead;
  remarks.push_back(fmt::format(
      "{}{} {} read: {}", answers ? "◀ " : "", step.blocks_read,
      Plural(step.blocks_read, "block", "blocks"), ResultOf(step.outcome)));
  return remarks;
}

PictureRow TableRow(const LookupStep& step, bool hex,
                    const PictureLayout& layout) {
  PictureRow row;
  row.tone = ToneOf(step);
  row.right = HumanBytes(step.file_bytes);
  row.left = fmt::format("{:06}  ", step.file_number);
  const std::size_t taken = row.left.size() + row.right.size() + 1;
  row.left += ShortRange(ShownBytes(step.smallest, hex),
                         ShownBytes(step.largest, hex), layout.row - taken);
  row.remarks = TableRemarks(step);
  return row;
}

PictureRow FoldedRow(std::size_t tables, std::string_view remark) {
  PictureRow row;
  row.left = fmt::format("{} {} {}", tables == 1 ? " " : kEllipsis,
                         Grouped(tables), Plural(tables, "table", "tables"));
  row.remarks.emplace_back(remark);
  return row;
}

PictureRow MemoryRow(const LookupStep& step) {
  PictureRow row;
  row.tone = ToneOf(step);
  row.left = step.place == LookupStep::Place::kMemtable
                 ? "memtable"
                 : "memtable that is being written";
  if (!step.note.empty()) {
    row.remarks = {step.note};
  } else if (step.outcome == Outcome::kFilterAbsent) {
    row.remarks = {step.filter + " filter: not here"};
  } else {
    row.remarks = {fmt::format("{}{}",
                               row.tone == Tone::kPassedOver ? "" : "◀ ",
                               ResultOf(step.outcome))};
  }
  return row;
}

// Returns the length of the run of equal outcomes at the start.
std::size_t RunLength(Steps steps) {
  const Outcome first = steps.front().outcome;
  const auto end = std::find_if(
      steps.begin(), steps.end(),
      [first](const LookupStep& step) { return step.outcome != first; });
  return static_cast<std::size_t>(end - steps.begin());
}

// Returns how many of a run of such outcomes get a separate row.
std::size_t ShownOf(Outcome outcome, std::size_t run) {
  constexpr std::size_t kFewFiltered = 5;
  constexpr std::size_t kFirstFiltered = 3;
  if (outcome == Outcome::kOutOfRange) return run > 1 ? 0 : run;
  if (outcome != Outcome::kFilterAbsent || run <= kFewFiltered) return run;
  return kFirstFiltered;
}

// Returns the start of the character that contains the byte at `at`.
std::size_t CharacterStart(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() &&
         (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) {
    --at;
  }
  return at;
}

// Returns how much of the common prefix to omit: up to the last character that
// is not a letter or digit, and the rest, too, if it would not fit.
std::size_t SharedToLeaveOut(std::string_view first, std::string_view last,
                             std::size_t room) {
  const auto differ =
      std::mismatch(first.begin(), first.end(), last.begin(), last.end());
  const auto same = static_cast<std::size_t>(differ.first - first.begin());
  // Two characters may start with the same byte.
  const std::size_t shared =
      std::min(CharacterStart(first, same), CharacterStart(last, same));
  std::size_t word = shared;
  while (word > 0 && IsLetterOrDigit(first[word - 1])) --word;
  const std::size_t left =
      Columns(first.substr(word)) + Columns(last.substr(word));
  return left + 2 <= room ? word : shared;
}

std::vector<PictureRow> LevelRows(Steps steps, std::size_t tables, bool hex,
                                  const PictureLayout& layout) {
  std::vector<PictureRow> rows;
  const std::size_t asked = steps.size();
  while (!steps.empty()) {
    const std::size_t run = RunLength(steps);
    const Outcome outcome = steps.front().outcome;
    const std::size_t shown = ShownOf(outcome, run);
    for (const LookupStep& step : steps.first(shown)) {
      rows.push_back(TableRow(step, hex, layout));
    }
    if (shown < run) {
      rows.push_back(FoldedRow(run - shown, outcome == Outcome::kOutOfRange
                                                ? "do not span this key"
                                                : "filters: not here"));
    }
    steps = steps.subspan(run);
  }
  if (tables > asked) rows.push_back(FoldedRow(tables - asked, "not asked"));
  return rows;
}

}  // namespace

Tone PictureBox::tone() const {
  Tone strongest = Tone::kPassedOver;
  for (const PictureRow& row : rows) strongest = std::max(strongest, row.tone);
  return strongest;
}

PictureLayout PictureLayout::For(std::size_t columns) {
  constexpr std::size_t kMin = 80;
  constexpr std::size_t kMax = 160;
  PictureLayout layout;
  layout.row += std::clamp(columns, kMin, kMax) - kMin;
  return layout;
}

std::string CutTo(std::string_view text, std::size_t columns) {
  if (Columns(text) <= columns) return std::string(text);
  std::size_t end = 0;
  for (std::size_t kept = 0; end < text.size();) {
    const std::size_t next =
        end + std::max<std::size_t>(Utf8CharacterBytes(text.substr(end)), 1);
    kept += Columns(text.substr(end, next - end));
    if (kept + 1 > columns) break;
    end = next;
  }
  return std::string(text.substr(0, end)).append(kEllipsis);
}

std::string ShownBytes(Slice bytes, bool hex) {
  return hex ? ToHex(bytes) : Escaped(bytes);
}

std::string ShortRange(const std::string& first, const std::string& last,
                       std::size_t room) {
  constexpr std::string_view kBetween = " … ";
  const std::size_t sides = room - Columns(kBetween);
  if (Columns(first) + Columns(last) <= sides) {
    return first + std::string(kBetween) + last;
  }
  const std::size_t shared = SharedToLeaveOut(first, last, sides);
  std::string a = first;
  std::string b = last;
  if (shared > 1) {
    a.replace(0, shared, kEllipsis);
    b.replace(0, shared, kEllipsis);
  }
  // What one side does not need, the other gets.
  const std::size_t half = sides / 2;
  const std::size_t for_a = std::max(half, sides - std::min(sides, Columns(b)));
  a = CutTo(a, for_a);
  return a + std::string(kBetween) + CutTo(b, sides - Columns(a));
}

std::vector<PictureBox> BoxesOf(const Explanation& told,
                                const StoreStats& stats, bool hex,
                                const PictureLayout& layout) {
  std::vector<PictureBox> boxes;
  PictureBox memory{.label = "memory", .rows = {}};
  Steps steps = told.steps;
  while (!steps.empty() && steps.front().place != LookupStep::Place::kTable) {
    memory.rows.push_back(MemoryRow(steps.front()));
    steps = steps.subspan(1);
  }
  if (!memory.rows.empty()) boxes.push_back(std::move(memory));
  while (!steps.empty()) {
    const int level = steps.front().level;
    const auto end = std::find_if(
        steps.begin(), steps.end(),
        [level](const LookupStep& step) { return step.level != level; });
    const auto count = static_cast<std::size_t>(end - steps.begin());
    const std::size_t tables =
        stats.levels[static_cast<std::size_t>(level)].tables;
    boxes.push_back(
        {.label = fmt::format("level {}", level),
         .rows = LevelRows(steps.first(count), tables, hex, layout)});
    steps = steps.subspan(count);
  }
  return boxes;
}

}  // namespace tamis::tools
