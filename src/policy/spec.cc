// SPDX-License-Identifier: Apache-2.0
#include "policy/spec.h"

#include <charconv>
#include <cmath>
#include <string>

namespace tamis {
namespace {

Status Bad(std::string_view text, std::string_view what) {
  return Status::InvalidArgument(
      std::string("policy \"").append(text).append("\": ").append(what));
}

template <typename Number>
std::optional<Number> ParseWhole(std::string_view text) noexcept {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

Result<PolicySpec> ParseSpec(std::string_view text) {
  PolicySpec spec;
  const std::size_t colon = text.find(':');
  spec.name = text.substr(0, colon);
  if (spec.name.empty()) {
    return Bad(text, "no name; write for example \"bloom:10\"");
  }
  if (colon == std::string_view::npos) return spec;

  std::string_view rest = text.substr(colon + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    const std::size_t equals = word.find('=');
    SpecArgument argument;
    if (equals == std::string_view::npos) {
      argument.value = word;
    } else {
      argument = {word.substr(0, equals), word.substr(equals + 1)};
      if (argument.name.empty()) return Bad(text, "nothing before '='");
    }
    if (argument.value.empty()) return Bad(text, "an argument is empty");
    spec.arguments.push_back(argument);
    if (comma == std::string_view::npos) return spec;
    rest.remove_prefix(comma + 1);
  }
}

std::optional<double> ParseDouble(std::string_view text) noexcept {
  const std::optional<double> number = ParseWhole<double>(text);
  if (!number.has_value() || !std::isfinite(*number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> ParseUint64(std::string_view text) noexcept {
  return ParseWhole<std::uint64_t>(text);
}

}  // namespace tamis
