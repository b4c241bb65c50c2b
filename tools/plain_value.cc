// SPDX-License-Identifier: Apache-2.0
#include "plain_value.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <fmt/core.h>

#include "base/coding.h"
#include "text.h"

namespace tamis::tools {
namespace {

struct TypeRow {
  ValueType type;
  std::string_view name;
  std::string_view physical;
};
constexpr std::array kTypes = {
    TypeRow{ValueType::kBytes, "bytes", "BYTE_ARRAY"},
    TypeRow{ValueType::kInt32, "int32", "INT32"},
    TypeRow{ValueType::kInt64, "int64", "INT64"},
    TypeRow{ValueType::kFloat, "float", "FLOAT"},
    TypeRow{ValueType::kDouble, "double", "DOUBLE"},
};

template <typename Number>
std::optional<Number> WholeNumber(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// Parses a number of the signed or the unsigned type of that width.
template <typename Unsigned>
std::optional<Unsigned> AnyInteger(std::string_view text) {
  if (const auto number = WholeNumber<Unsigned>(text)) return number;
  const auto number = WholeNumber<std::make_signed_t<Unsigned>>(text);
  if (!number.has_value()) return std::nullopt;
  return static_cast<Unsigned>(*number);
}

template <typename Unsigned, typename Float>
std::optional<Unsigned> FloatBits(std::string_view text) {
  const auto number = WholeNumber<Float>(text);
  // There are many NaNs, and it is unknown which one was stored.
  if (!number.has_value() || std::isnan(*number)) return std::nullopt;
  return std::bit_cast<Unsigned>(*number);
}

template <typename Unsigned>
bool AppendLittle(std::optional<Unsigned> number, std::string* out) {
  if (!number.has_value()) return false;
  std::array<char, sizeof(Unsigned)> bytes;
  StoreLittle(bytes.data(), *number);
  out->append(bytes.data(), bytes.size());
  return true;
}

}  // namespace

std::vector<std::string_view> ValueTypeNames() {
  std::vector<std::string_view> names;
  for (const TypeRow& row : kTypes) names.push_back(row.name);
  return names;
}

std::string_view NameOf(ValueType type) {
  return kTypes[static_cast<std::size_t>(type)].name;
}

std::optional<ValueType> ValueTypeNamed(std::string_view name) {
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

std::optional<ValueType> ValueTypeOf(std::string_view physical_type) {
  if (physical_type == "FIXED_LEN_BYTE_ARRAY") return ValueType::kBytes;
  for (const TypeRow& row : kTypes) {
    if (row.physical == physical_type) return row.type;
  }
  return std::nullopt;
}

bool AppendPlain(ValueType type, std::string_view text, std::string* out) {
  switch (type) {
    case ValueType::kInt32:
      return AppendLittle(AnyInteger<std::uint32_t>(text), out);
    case ValueType::kInt64:
      return AppendLittle(AnyInteger<std::uint64_t>(text), out);
    case ValueType::kFloat:
      return AppendLittle(FloatBits<std::uint32_t, float>(text), out);
    case ValueType::kDouble:
      return AppendLittle(FloatBits<std::uint64_t, double>(text), out);
    case ValueType::kBytes:
      break;
  }
  *out += text;
  return true;
}

std::string PlainProblem(ValueType type, std::string_view text) {
  constexpr std::size_t kShown = 40;
  const std::string_view name = NameOf(type);
  const std::string shown =
      IsUtf8(text) ? Printable(text) : "\\x" + ToHex(text);
  return fmt::format("'{}{}' is not {} {}", shown.substr(0, kShown),
                     shown.size() > kShown ? "..." : "",
                     name.starts_with('i') ? "an" : "a", name);
}

}  // namespace tamis::tools
