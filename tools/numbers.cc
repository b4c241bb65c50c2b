// SPDX-License-Identifier: Apache-2.0
#include "numbers.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "text.h"

namespace tamis::tools {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

Status TooLarge(std::string_view text) {
  return Status::InvalidArgument(
      "'" + std::string(text) + "' is too large; the most is " + Grouped(kMax));
}

Status NotANumber(std::string_view text, std::string_view wanted) {
  return Status::InvalidArgument("'" + std::string(text) + "' is not " +
                                 std::string(wanted));
}

// digits x 10^exponent x factor; the exponent includes the decimal point.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
  std::uint64_t factor = 1;
  bool too_large = false;  // why it was refused
};

bool AppendDigit(char c, Decimal* number) {
  const auto digit = static_cast<std::uint64_t>(c - '0');
  if (number->digits > (kMax - digit) / 10) return false;
  number->digits = number->digits * 10 + digit;
  return true;
}

// Removes "12_000.5" from the front of *text.
bool TakeDigits(std::string_view* text, Decimal* number) {
  bool after_point = false;
  std::size_t i = 0;
  bool any = false;
  for (; i < text->size(); ++i) {
    const char c = (*text)[i];
    if (c == '.' && !after_point && any) {
      after_point = true;
    } else if (c == '_') {
      // Only between digits.
      if (i == 0 || !IsDigit((*text)[i - 1])) return false;
      if (i + 1 == text->size() || !IsDigit((*text)[i + 1])) return false;
    } else if (IsDigit(c)) {
      if (!AppendDigit(c, number)) {
        number->too_large = !after_point;
        return false;
      }
      any = true;
      if (after_point) --number->exponent;
    } else {
      break;
    }
  }
  const bool ends_well = any && IsDigit((*text)[i - 1]);
  text->remove_prefix(i);
  return ends_well;
}

// Removes "e6" or "e+6"; an exponent is optional.
bool TakeExponent(std::string_view* text, Decimal* number) {
  if (text->empty() || (text->front() != 'e' && text->front() != 'E')) {
    return true;
  }
  text->remove_prefix(1);
  if (!text->empty() && text->front() == '+') {
    text->remove_prefix(1);
    if (text->empty() || !IsDigit(text->front())) return false;
  }
  int exponent = 0;
  const auto [end, error] =
      std::from_chars(text->data(), text->data() + text->size(), exponent);
  const bool negative = !text->empty() && text->front() == '-';
  number->too_large =
      (error == std::errc::result_out_of_range && !negative) || exponent > 1000;
  if (error != std::errc() || number->too_large || exponent < -1000) {
    return false;
  }
  number->exponent += exponent;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return true;
}

// The rest must be a unit, or nothing.
bool TakeUnit(std::string_view text, Decimal* number) {
  if (text.empty()) return true;
  int power = 0;
  switch (text.front()) {
    case 'k':
    case 'K':
      power = 1;
      break;
    case 'M':
      power = 2;
      break;
    case 'G':
      power = 3;
      break;
    case 'T':
      power = 4;
      break;
    default:
      return false;
  }
  text.remove_prefix(1);
  if (text.empty()) {
    number->exponent += 3 * power;
    return true;
  }
  number->factor = std::uint64_t{1} << (10 * power);
  return text == "i";
}

// Converts `n` to a whole number, if it is one and fits.
bool Whole(Decimal* n, std::uint64_t* out) {
  *out = 0;
  if (n->digits == 0) return true;
  // The unit first: 1.5Ki is whole only with it.
  n->too_large = n->digits > kMax / n->factor;
  if (n->too_large) return false;
  n->digits *= n->factor;
  for (; n->exponent > 0; --n->exponent) {
    n->too_large = n->digits > kMax / 10;
    if (n->too_large) return false;
    n->digits *= 10;
  }
  for (; n->exponent < 0; ++n->exponent) {
    if (n->digits % 10 != 0) return false;
    n->digits /= 10;
  }
  *out = n->digits;
  return true;
}

// from_chars reads "inf" and "nan" as well, so callers check the range.
bool ParseReal(std::string_view text, double* out) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<std::uint64_t> ParseCount(std::string_view text) {
  Decimal number;
  std::string_view rest = text;
  std::uint64_t whole = 0;
  if (!TakeDigits(&rest, &number) || !TakeExponent(&rest, &number) ||
      !TakeUnit(rest, &number) || !Whole(&number, &whole)) {
    if (number.too_large) return TooLarge(text);
    return NotANumber(text, "a whole number such as 1000000, 1e6 or 10M");
  }
  return whole;
}

Result<double> ParseRate(std::string_view text) {
  std::string_view digits = text;
  const bool percent = digits.ends_with('%');
  if (percent) digits.remove_suffix(1);
  double rate = 0;
  const bool parsed = ParseReal(digits, &rate);
  if (percent) rate /= 100;
  if (!parsed || !(rate > 0 && rate < 1)) {
    return NotANumber(text, "a rate between 0 and 1 such as 0.01 or 1%");
  }
  return rate;
}

Result<double> ParsePositive(std::string_view text) {
  double value = 0;
  if (!ParseReal(text, &value) || !(value > 0) || !std::isfinite(value)) {
    return NotANumber(text, "a positive number such as 10 or 9.6");
  }
  return value;
}

Result<double> ParseSeconds(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr Unit kUnits[] = {
      {"min", 60}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  std::string_view number = text;
  double seconds = 1;
  for (const Unit& unit : kUnits) {
    if (!number.ends_with(unit.name)) continue;
    number.remove_suffix(unit.name.size());
    seconds = unit.seconds;
    break;
  }
  double value = 0;
  if (!ParseReal(number, &value) || !(value >= 0) ||
      !std::isfinite(value * seconds)) {
    return NotANumber(text, "a time such as 90s, 10min, 1h or 7d");
  }
  return value * seconds;
}

Result<std::uint64_t> ParseSeed(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return NotANumber(text, "a 64-bit number such as 42 or 0x2a");
  }
  return value;
}

}  // namespace tamis::tools
