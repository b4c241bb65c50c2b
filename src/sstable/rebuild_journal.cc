// SPDX-License-Identifier: Apache-2.0
#include "sstable/rebuild_journal.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/crc32c.h"

namespace tamis {
namespace {

constexpr std::string_view kTitle = "tamis-rebuild ";
constexpr std::string_view kVersion = "1";

std::string TextOf(const FileMark& mark) {
  return std::to_string(mark.bytes) + " " +
         (mark.crc.has_value() ? std::to_string(*mark.crc) : "-");
}

std::string TextOf(const RebuildMove& move) {
  switch (move.kind) {
    case RebuildMove::Kind::kAdd:
      return "add " + TextOf(move.new_mark) + " " + move.name + "\n";
    case RebuildMove::Kind::kReplace:
      return "replace " + TextOf(move.old_mark) + " " + TextOf(move.new_mark) +
             " " + move.name + "\n";
    case RebuildMove::Kind::kRetire:
      break;
  }
  return "retire " + TextOf(move.old_mark) + " " + move.name + "\n";
}

// Takes one line, or one word, with what ends it.
std::optional<std::string_view> TakeUntil(char end, std::string_view* text) {
  const std::size_t at = text->find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text->substr(0, at);
  text->remove_prefix(at + 1);
  return taken;
}

template <typename T>
bool ParseNumber(std::string_view text, T* number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end && !text.empty();
}

bool TakeMark(std::string_view* line, FileMark* mark) {
  const auto bytes = TakeUntil(' ', line);
  const auto crc = TakeUntil(' ', line);
  if (!bytes || !crc || !ParseNumber(*bytes, &mark->bytes)) return false;
  mark->crc.reset();
  if (*crc == "-") return true;
  std::uint32_t number;
  if (!ParseNumber(*crc, &number)) return false;
  mark->crc = number;
  return true;
}

// A name within the directory: a journal must not reach other files.
bool IsFileName(std::string_view name) noexcept {
  return !name.empty() && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

bool ParseMove(std::string_view word, std::string_view line,
               RebuildMove* move) {
  bool is_understood = false;
  if (word == "add") {
    move->kind = RebuildMove::Kind::kAdd;
    is_understood = TakeMark(&line, &move->new_mark);
  } else if (word == "replace") {
    move->kind = RebuildMove::Kind::kReplace;
    is_understood =
        TakeMark(&line, &move->old_mark) && TakeMark(&line, &move->new_mark);
  } else if (word == "retire") {
    move->kind = RebuildMove::Kind::kRetire;
    is_understood = TakeMark(&line, &move->old_mark);
  }
  move->name = std::string(line);
  return is_understood && IsFileName(line);
}

bool ParseLine(std::string_view line, RebuildJournal* journal) {
  const auto word = TakeUntil(' ', &line);
  if (!word) return false;
  if (*word == "engine") {
    journal->engine = std::string(line);
    return true;
  }
  if (*word == "state") {
    journal->is_done = line == "done";
    return line == "done" || line == "ready";
  }
  if (*word == "unit") {
    journal->units.push_back({.anchor = std::string(line), .moves = {}});
    return IsFileName(line);
  }
  RebuildMove move;
  if (journal->units.empty() || !ParseMove(*word, line, &move)) return false;
  journal->units.back().moves.push_back(std::move(move));
  return true;
}

}  // namespace

std::string FormatRebuildJournal(const RebuildJournal& journal) {
  std::string text = std::string(kTitle) + std::string(kVersion) + "\n";
  text += "engine " + journal.engine + "\n";
  text += journal.is_done ? "state done\n" : "state ready\n";
  for (const RebuildUnit& unit : journal.units) {
    text += "unit " + unit.anchor + "\n";
    for (const RebuildMove& move : unit.moves) text += TextOf(move);
  }
  return text + "end " + std::to_string(Crc32c(text)) + "\n";
}

Result<RebuildJournal> ParseRebuildJournal(Slice text) {
  std::string_view rest = text;
  const auto damaged = [](std::string_view what) {
    return Status::Corruption("the journal is damaged: " + std::string(what));
  };
  const auto title = TakeUntil('\n', &rest);
  if (!title || !title->starts_with(kTitle)) return damaged("no first line");
  if (title->substr(kTitle.size()) != kVersion) {
    return Status::NotSupported(
        "the journal is of a later version of Tamis: use that one");
  }
  RebuildJournal journal;
  while (const auto line = TakeUntil('\n', &rest)) {
    if (line->starts_with("end ")) {
      const auto covered = static_cast<std::size_t>(line->data() - text.data());
      std::uint32_t crc;
      if (!ParseNumber(line->substr(4), &crc) ||
          crc != Crc32c(text.substr(0, covered)) || !rest.empty()) {
        return damaged("its checksum does not match");
      }
      return journal;
    }
    if (!ParseLine(*line, &journal)) {
      return damaged("the line \"" + std::string(*line) + "\"");
    }
  }
  return damaged("it is cut off");
}

}  // namespace tamis
