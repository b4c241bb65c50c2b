// SPDX-License-Identifier: Apache-2.0
// json.h -- JSON as the commands print and read it.

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tamis::tools {

// A value.  The members of an object stay in the order in which they came.
class Json {
 public:
  // All of these are compiled once: commands are full of them.
  Json();  // null, until a member or an element is added
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  Json(bool value);
  Json(double value);
  template <std::unsigned_integral T>
  Json(T value) : Json(Number{.value = value, .is_negative = false}) {}
  template <std::signed_integral T>
  Json(T value)
      : Json(Number{.value = static_cast<std::uint64_t>(value),
                    .is_negative = value < 0}) {}
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(const std::vector<std::string>& texts);
  static Json Object();  // {}
  static Json Array();   // []

  // The member of that name, which is added as null if there is none.
  // REQUIRES: this is an object or null
  Json& operator[](std::string_view name);
  // REQUIRES: this is an array or null
  void Add(Json element);

  // On one line, or with an `indent` on many; no newline at the end.  Control
  // characters are escaped, including DEL and U+0080 to U+009F, which JSON
  // allows; what is not UTF-8 is replaced.
  std::string Text(int indent = -1) const;

 private:
  using Elements = std::vector<Json>;
  using Members = std::vector<std::pair<std::string, Json>>;

  struct Number {
    std::uint64_t value;  // of a negative one, its two's complement
    bool is_negative;
  };

  explicit Json(Number number);
  void Append(int indent, std::size_t depth, std::string* out) const;

  std::variant<std::monostate, bool, Number, double, std::string, Elements,
               Members>
      value_;
};

// A member of an object that was read: its text, if it is a string.
struct JsonMember {
  std::string name = {};
  std::string text = {};
  bool is_text = false;
  bool is_true = false;
};

// Reads one object.  Returns what is wrong with `text`, or "".  A repeated
// member is an error.
std::string ParseJsonObject(std::string_view text,
                            std::vector<JsonMember>* members);

}  // namespace tamis::tools
