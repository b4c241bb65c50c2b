#include "json_text.h"

#include <algorithm>
#include <cstddef>

#include <nlohmann/json.hpp>

#include "text.h"

namespace tamis::tools {
namespace {

constexpr char kDel = '\x7f';
constexpr char kLead = '\xc2';  // of U+0080 to U+00BF

// In place of the one that `text` has at `at`; *at becomes its last byte.
void AppendEscape(const std::string& text, std::size_t* at, std::string* out) {
  if (text[*at] == kLead) ++*at;
  *out += "\\u00" + ToHex({&text[*at], 1});
}

}  // namespace

std::string JsonText(const nlohmann::ordered_json& json, int indent) {
  std::string text = json.dump(
      indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  const bool has_none = std::none_of(
      text.begin(), text.end(), [](char c) { return c == kDel || c == kLead; });
  if (has_none) return text;
  // Newlines are those between members: within strings JSON has escaped them.
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n' && SteersTerminal(text, i, true)) {
      AppendEscape(text, &i, &out);
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace tamis::tools
