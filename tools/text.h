// SPDX-License-Identifier: Apache-2.0
// text.h -- formats numbers, bytes and tables for people.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::tools {

// 1234567 -> "1,234,567".
std::string Grouped(std::uint64_t number);

// 1258291 -> "1.20 MiB"; below 1 KiB "17 B".
std::string HumanBytes(std::uint64_t bytes);

// 1810 -> "1.77 KiB (1,810 bytes)"; below 1 KiB only the bytes.
std::string SizeText(std::uint64_t bytes);

// 1234567 -> "1.23 M"; below 1000 "17".
std::string HumanCount(double count);

// 0.00819 -> "0.819 %", 1 -> "100 %", 6.7e-7 -> "0.000067 %"; never "0 %" for a
// rate above zero: the smallest is "below 0.000001 %".
std::string Percent(double rate);

// Returns "key" after 1, otherwise "keys".
std::string_view Plural(std::uint64_t count, std::string_view one,
                        std::string_view many);

// Returns true for bytes that control a terminal: control characters of ASCII,
// those of Unicode (U+0080 to U+009F), and, in text that is not UTF-8, the
// bytes that older terminals take for these.
// REQUIRES: at < text.size(); is_utf8 == IsUtf8(text)
bool SteersTerminal(std::string_view text, std::size_t at, bool is_utf8);

// Returns `text` with bytes that control a terminal as \xNN.
std::string Printable(std::string_view text);
// The same, but tabs stay.
std::string PrintableLine(std::string_view line);

bool IsUtf8(std::string_view text);
// Returns the bytes of the UTF-8 character at the start of `text`, or 0.
std::size_t Utf8CharacterBytes(std::string_view text);

// Returns how many columns of a terminal `text` takes: two for wide East Asian
// characters and emoji, none for combining characters.
std::size_t Columns(std::string_view text);

std::string ToHex(std::string_view bytes);

// Rows of cells under a heading, each column as wide as its widest cell.
// Columns are right-aligned but the first; in a row with fewer cells than the
// heading the last cell may be wider, for remarks.
class Table {
 public:
  explicit Table(std::vector<std::string> heading);
  void AddRow(std::vector<std::string> cells);
  std::string ToString() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the first is the heading
};

}  // namespace tamis::tools
