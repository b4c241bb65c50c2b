// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/core.h>

namespace tamis::tools {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// Returns the length of the sequence that `lead` starts, or 0.
std::size_t Utf8Length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;  // a continuation, or an overlong form
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}

// After a valid lead byte, the second byte excludes overlong forms, surrogates
// and code points beyond U+10FFFF.
bool SecondByteFits(unsigned char lead, unsigned char second) {
  if (lead == 0xe0) return second >= 0xa0;
  if (lead == 0xed) return second < 0xa0;
  if (lead == 0xf0) return second >= 0x90;
  return lead != 0xf4 || second < 0x90;
}

}  // namespace

std::string Grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string HumanBytes(std::uint64_t bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.995 would be shown as 1024.00.
  while (value >= 1023.995 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.2f} {}", value, kUnits[unit]);
}

std::string SizeText(std::uint64_t bytes) {
  const std::string exact =
      fmt::format("{} {}", Grouped(bytes), Plural(bytes, "byte", "bytes"));
  if (bytes < 1024) return exact;
  return fmt::format("{} ({})", HumanBytes(bytes), exact);
}

std::string HumanCount(double count) {
  constexpr std::array kUnits = {"k", "M", "G", "T", "P", "E"};
  if (count < 999.5) return fmt::format("{:.0f}", count);
  double value = count / 1000;
  std::size_t unit = 0;
  while (value >= 999.995 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.2f} {}", value, kUnits[unit]);
}

std::string Percent(double rate) {
  const double percent = rate * 100;
  if (!(percent > 0)) return "0 %";
  if (percent < 1e-6) return "below 0.000001 %";
  // Three significant digits, in plain notation.
  const int lead = static_cast<int>(std::floor(std::log10(percent)));
  std::string text = fmt::format("{:.{}f}", percent, std::max(0, 2 - lead));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text + " %";
}

std::string_view Plural(std::uint64_t count, std::string_view one,
                        std::string_view many) {
  return count == 1 ? one : many;
}

bool SteersTerminal(std::string_view text, std::size_t at, bool is_utf8) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20 || byte == 0x7f) return true;
  if (!is_utf8) return byte >= 0x80 && byte < 0xa0;
  // U+0080 to U+009F are c2 80 to c2 9f.
  const auto is_c1 = [&](std::size_t i) {
    return text[i] == '\xc2' && static_cast<unsigned char>(text[i + 1]) < 0xa0;
  };
  return byte == 0xc2 ? is_c1(at)
                      : byte >= 0x80 && byte < 0xa0 && at > 0 && is_c1(at - 1);
}

namespace {

std::string WithoutOrders(std::string_view text, bool keep_tabs) {
  const bool is_utf8 = IsUtf8(text);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool stays = keep_tabs && text[i] == '\t';
    if (stays || !SteersTerminal(text, i, is_utf8)) {
      out += text[i];
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[i]);
    out += "\\x";
    out += kHexDigits[byte >> 4];
    out += kHexDigits[byte & 15];
  }
  return out;
}

}  // namespace

std::string Printable(std::string_view text) {
  return WithoutOrders(text, false);
}

std::string PrintableLine(std::string_view line) {
  return WithoutOrders(line, true);
}

std::size_t Utf8CharacterBytes(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = Utf8Length(lead);
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t j = 1; j < length; ++j) {
    const auto next = static_cast<unsigned char>(text[j]);
    if ((next & 0xc0) != 0x80) return 0;
    if (j == 1 && !SecondByteFits(lead, next)) return 0;
  }
  return length;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8CharacterBytes(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

namespace {

struct CodeRange {
  std::uint32_t first;
  std::uint32_t last;
};

// The widths W and F of Unicode's East Asian Width, roughly.
constexpr CodeRange kWide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
    {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
constexpr CodeRange kCombining[] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
    {0x64b, 0x65f},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
    {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

template <typename Ranges>
bool IsIn(const Ranges& ranges, std::uint32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [code](const CodeRange& range) {
                       return range.first <= code && code <= range.last;
                     });
}

// REQUIRES: `character` is one of UTF-8
std::uint32_t CodeOf(std::string_view character) {
  constexpr std::array<std::uint32_t, 5> kLeadBits = {0, 0x7f, 0x1f, 0x0f, 7};
  std::uint32_t code =
      static_cast<unsigned char>(character[0]) & kLeadBits[character.size()];
  for (const char c : character.substr(1)) {
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3f);
  }
  return code;
}

}  // namespace

std::size_t Columns(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const std::size_t length = Utf8CharacterBytes(text);
    const std::uint32_t code = length == 0 ? 0 : CodeOf(text.substr(0, length));
    if (!IsIn(kCombining, code)) columns += IsIn(kWide, code) ? 2u : 1u;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return columns;
}

std::string ToHex(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kHexDigits[byte >> 4];
    out += kHexDigits[byte & 15];
  }
  return out;
}

Table::Table(std::vector<std::string> heading) {
  rows_.push_back(std::move(heading));
}

void Table::AddRow(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::string Table::ToString() const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool runs_on = row.size() < columns && i + 1 == row.size();
      if (!runs_on) widths[i] = std::max(widths[i], Columns(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool left = i == 0 || row.size() < columns;
      if (i > 0) out += "  ";
      out += left ? fmt::format("{:<{}}", row[i], widths[i])
                  : fmt::format("{:>{}}", row[i], widths[i]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

}  // namespace tamis::tools
