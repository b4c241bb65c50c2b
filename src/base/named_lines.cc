// SPDX-License-Identifier: Apache-2.0
#include "base/named_lines.h"

#include <algorithm>

namespace tamis {
namespace {

constexpr std::string_view kBetween = " = ";
constexpr std::size_t kMaxValueBytes = 1000;
// Each name is compared with all before it.
constexpr std::size_t kMaxLines = 256;

bool IsNameByte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}
bool IsControl(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

std::optional<NamedLine> ParseLine(Slice line) {
  const std::size_t at = line.find(kBetween);
  if (at == Slice::npos) return std::nullopt;
  const Slice name = line.substr(0, at);
  const Slice value = line.substr(at + kBetween.size());
  if (name.empty() || !std::all_of(name.begin(), name.end(), IsNameByte) ||
      value.empty() || std::any_of(value.begin(), value.end(), IsControl)) {
    return std::nullopt;
  }
  return NamedLine{std::string(name), std::string(value)};
}

}  // namespace

std::optional<std::vector<NamedLine>> ParseNamedLines(Slice text) {
  std::vector<NamedLine> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == Slice::npos || lines.size() == kMaxLines) return std::nullopt;
    std::optional<NamedLine> line = ParseLine(text.substr(0, end));
    if (!line || FindLine(lines, line->name) != nullptr) return std::nullopt;
    lines.push_back(*std::move(line));
    text.remove_prefix(end + 1);
  }
  return lines;
}

void AppendNamedLine(std::string* text, std::string_view name,
                     std::string_view value) {
  text->append(name).append(kBetween).append(value).append("\n");
}

std::string FitForALine(std::string_view value) {
  std::string fit(value.substr(0, kMaxValueBytes));
  std::replace_if(fit.begin(), fit.end(), IsControl, '?');
  return fit.empty() ? "?" : fit;
}

const std::string* FindLine(const std::vector<NamedLine>& lines,
                            std::string_view name) noexcept {
  const auto found =
      std::find_if(lines.begin(), lines.end(),
                   [name](const NamedLine& line) { return line.name == name; });
  return found == lines.end() ? nullptr : &found->value;
}

}  // namespace tamis
