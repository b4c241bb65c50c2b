// SPDX-License-Identifier: Apache-2.0
#include "report_page.h"

#include <array>
#include <utility>

#include "text.h"

namespace tamis::tools {
namespace {

std::string_view EscapeOf(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    default:
      return {};
  }
}

// `text` as the contents of an element; U+FFFD for what is not UTF-8.
std::string EscapedText(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = Utf8CharacterBytes(text);
    const std::string_view escape = EscapeOf(text.front());
    if (length == 0) {
      out += "\xef\xbf\xbd";
    } else {
      out += escape.empty() ? text.substr(0, length) : escape;
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

// JSON for a script element.  Such an element ends at "</script", whatever is
// around it, and "<!--" changes what ends it; in JSON a '<' is always part of a
// string, where it may be written as an escape.
std::string EscapedJson(std::string_view json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

// Lines of text, without what is not text.
std::string PlainLines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += PrintableLine(text.substr(0, end));
    if (end == std::string_view::npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace

std::string FillPage(std::string_view page, const PageContents& contents) {
  const std::array<std::pair<std::string_view, std::string>, 3> places = {{
      {"@TAMIS_TITLE@", EscapedText(Printable(contents.title))},
      {"@TAMIS_TEXT@", EscapedText(PlainLines(contents.text))},
      {"@TAMIS_DATA@", EscapedJson(contents.data.Text())},
  }};
  // From place to place, so that nothing is looked for in what was filled in.
  std::string out;
  while (true) {
    const std::size_t at = page.find("@TAMIS_");
    out += page.substr(0, at);
    if (at == std::string_view::npos) return out;
    page.remove_prefix(at);
    std::string_view filled = page.substr(0, 1);
    std::size_t length = 1;
    for (const auto& [name, text] : places) {
      if (!page.starts_with(name)) continue;
      filled = text;
      length = name.size();
    }
    out += filled;
    page.remove_prefix(length);
  }
}

}  // namespace tamis::tools
