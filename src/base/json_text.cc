// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"

#include <array>
#include <cstddef>
#include <cstdio>

namespace tamis {

std::string JsonNumber(double value) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.6g", value);
  return std::string(text.data(), static_cast<std::size_t>(length));
}

std::string JsonQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte > 0x7e) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", byte);
      quoted += escape.data();
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string JsonQuoted(const std::vector<std::string>& texts) {
  std::string array = "[";
  for (const std::string& text : texts) {
    if (array.size() > 1) array += ',';
    array += JsonQuoted(text);
  }
  return array + ']';
}

void JsonObject::Add(std::string_view name, std::string_view value) {
  text_ += text_.size() > 1 ? "," : "";
  text_ += '"';
  text_ += name;
  text_ += "\":";
  text_ += value;
}

void JsonObject::Add(std::string_view name, std::uint64_t value) {
  Add(name, std::string_view(std::to_string(value)));
}

}  // namespace tamis
