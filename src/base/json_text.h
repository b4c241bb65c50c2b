// SPDX-License-Identifier: Apache-2.0
// base/json_text.h -- writes small JSON objects.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tamis {

// Returns the number with six digits.  REQUIRES: it is finite
std::string JsonNumber(double value);
// Returns the text in quotes; every byte that is not printable ASCII is
// escaped as the character of its number.
std::string JsonQuoted(std::string_view text);
std::string JsonQuoted(const std::vector<std::string>& texts);  // an array

// Builds {"a":1,...} one member after the other.
class JsonObject {
 public:
  // `value` is JSON.
  void Add(std::string_view name, std::string_view value);
  void Add(std::string_view name, std::uint64_t value);
  std::string Finish() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

}  // namespace tamis
