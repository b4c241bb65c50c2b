// SPDX-License-Identifier: Apache-2.0
#include "json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "text.h"

namespace tamis::tools {
namespace {

// "\u001b", or one of the short escapes that JSON has.
void AppendEscape(char c, std::string* out) {
  constexpr std::string_view kMeanings = "\b\t\n\f\r\"\\";
  constexpr std::string_view kLetters = "btnfr\"\\";
  const std::size_t at = kMeanings.find(c);
  if (at == std::string_view::npos) {
    *out += "\\u00" + ToHex({&c, 1});
  } else {
    *out += '\\';
    *out += kLetters[at];
  }
}

// The same with U+FFFD in place of every byte that is not UTF-8.
std::string WithReplacements(std::string_view text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string out;
  while (!text.empty()) {
    const std::size_t length = Utf8CharacterBytes(text);
    out += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

void AppendText(const std::string& text, std::string* out) {
  if (!IsUtf8(text)) return AppendText(WithReplacements(text), out);
  *out += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool steers = SteersTerminal(text, i, true);
    // The second byte distinguishes U+0080 to U+009F.
    if (steers && text[i] == '\xc2') ++i;
    if (steers || text[i] == '"' || text[i] == '\\') {
      AppendEscape(text[i], out);
    } else {
      *out += text[i];
    }
  }
  *out += '"';
}

// Appends the fewest digits that identify this number; plain from 0.0001 up to
// 10^15, with an exponent beyond, and never like an integer.
void AppendReal(double number, std::string* out) {
  constexpr int kMinPlain = -4;
  constexpr int kMaxPlain = 14;
  if (!std::isfinite(number)) {
    *out += "null";
    return;
  }
  std::array<char, 400> text{};
  const int power =
      number == 0 ? 0
                  : static_cast<int>(std::floor(std::log10(std::abs(number))));
  const bool is_plain = power >= kMinPlain && power <= kMaxPlain;
  const auto end = std::to_chars(
      text.data(), text.data() + text.size(), number,
      is_plain ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string_view digits(
      text.data(), static_cast<std::size_t>(end.ptr - text.data()));
  *out += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) *out += ".0";
}

void AppendBreak(int indent, std::size_t depth, std::string* out) {
  if (indent < 0) return;
  *out += '\n';
  out->append(static_cast<std::size_t>(indent) * depth, ' ');
}

}  // namespace

Json::Json() = default;
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json::Json(bool value) : value_(value) {}
Json::Json(double value) : value_(value) {}
Json::Json(Number number) : value_(number) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(const std::vector<std::string>& texts)
    : value_(Elements(texts.begin(), texts.end())) {}

Json Json::Object() {
  Json object;
  object.value_ = Members();
  return object;
}

Json Json::Array() {
  Json array;
  array.value_ = Elements();
  return array;
}

Json& Json::operator[](std::string_view name) {
  if (value_.index() == 0) value_ = Members();
  auto& members = std::get<Members>(value_);
  for (auto& [known, value] : members) {
    if (known == name) return value;
  }
  members.emplace_back(name, Json());
  return members.back().second;
}

void Json::Add(Json element) {
  if (value_.index() == 0) value_ = Elements();
  std::get<Elements>(value_).push_back(std::move(element));
}

std::string Json::Text(int indent) const {
  std::string text;
  Append(indent, 0, &text);
  return text;
}

void Json::Append(int indent, std::size_t depth, std::string* out) const {
  if (const auto* text = std::get_if<std::string>(&value_)) {
    AppendText(*text, out);
  } else if (const auto* elements = std::get_if<Elements>(&value_)) {
    *out += '[';
    for (const Json& element : *elements) {
      if (&element != elements->data()) *out += ',';
      AppendBreak(indent, depth + 1, out);
      element.Append(indent, depth + 1, out);
    }
    if (!elements->empty()) AppendBreak(indent, depth, out);
    *out += ']';
  } else if (const auto* members = std::get_if<Members>(&value_)) {
    *out += '{';
    for (const auto& member : *members) {
      if (&member != members->data()) *out += ',';
      AppendBreak(indent, depth + 1, out);
      AppendText(member.first, out);
      *out += indent < 0 ? ":" : ": ";
      member.second.Append(indent, depth + 1, out);
    }
    if (!members->empty()) AppendBreak(indent, depth, out);
    *out += '}';
  } else if (const auto* number = std::get_if<double>(&value_)) {
    AppendReal(*number, out);
  } else if (const auto* integer = std::get_if<Number>(&value_)) {
    *out += integer->is_negative
                ? std::to_string(static_cast<std::int64_t>(integer->value))
                : std::to_string(integer->value);
  } else if (const auto* flag = std::get_if<bool>(&value_)) {
    *out += *flag ? "true" : "false";
  } else {
    *out += "null";
  }
}

namespace {

using Library = nlohmann::json;

// Receives the events of the library's parser, and keeps the members of the
// outer object.
class MemberTaker final : public nlohmann::json_sax<Library> {
 public:
  explicit MemberTaker(std::vector<JsonMember>* members) : members_(members) {}

  // What is wrong with the text; empty: nothing.
  const std::string& problem() const { return problem_; }

  bool null() override { return Take({}); }
  bool boolean(bool value) override { return Take({.is_true = value}); }
  bool number_integer(number_integer_t /*value*/) override { return Take({}); }
  bool number_unsigned(number_unsigned_t /*value*/) override {
    return Take({});
  }
  bool number_float(number_float_t /*value*/,
                    const string_t& /*text*/) override {
    return Take({});
  }
  bool string(string_t& value) override {
    return Take({.text = value, .is_text = true});
  }
  bool binary(binary_t& /*value*/) override { return Take({}); }
  bool start_object(std::size_t /*elements*/) override {
    is_object_ |= depth_ == 0;
    return Open();
  }
  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    name_ = name;
    if (!names_.insert(name).second) twice_ = name;
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t /*elements*/) override { return Open(); }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t at, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    // The library reports the position of a syntax error, but not of a number
    // that is too large.
    const bool has_place =
        dynamic_cast<const nlohmann::detail::parse_error*>(&error) != nullptr;
    problem_ =
        has_place ? fmt::format("no JSON: wrong at byte {}", at) : "no JSON";
    return false;
  }

  // Called once everything was read.
  void Finish() {
    if (!problem_.empty()) return;
    if (!is_object_) {
      problem_ = "not a JSON object";
    } else if (!twice_.empty()) {
      problem_ = fmt::format("'{}' is there twice", twice_);
    }
  }

 private:
  bool Take(JsonMember member) {
    if (depth_ == 1 && is_object_) {
      member.name = name_;
      members_->push_back(std::move(member));
    }
    return true;
  }
  bool Open() {
    Take({});  // a member that is neither text nor true
    ++depth_;
    return true;
  }
  bool Close() {
    --depth_;
    return true;
  }

  std::vector<JsonMember>* members_;
  std::size_t depth_ = 0;
  bool is_object_ = false;
  std::string name_;
  std::set<std::string> names_;
  std::string twice_;
  std::string problem_;
};

}  // namespace

std::string ParseJsonObject(std::string_view text,
                            std::vector<JsonMember>* members) {
  members->clear();
  MemberTaker taker(members);
  Library::sax_parse(text, &taker);
  taker.Finish();
  return taker.problem();
}

}  // namespace tamis::tools
