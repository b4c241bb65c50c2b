// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.h"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include <gtest/gtest.h>

namespace tamis::testing {
namespace {

// The whole of `digits` as a number.
template <typename T>
bool ParseHex(std::string_view digits, T* out) {
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, *out, 16);
  return error == std::errc() && stop == end;
}

}  // namespace

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in),
                    std::istreambuf_iterator<char>()};
  if (!in.is_open() || in.bad()) {
    ADD_FAILURE() << "cannot read " << path;
    return {};
  }
  return bytes;
}

nlohmann::json LoadGolden(std::string_view file) {
  const auto path =
      std::filesystem::path(TAMIS_SOURCE_DIR) / "tests" / "golden" / file;
  auto json = nlohmann::json::parse(ReadFile(path), nullptr,
                                    /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    ADD_FAILURE() << path << " is not JSON";
    return nullptr;
  }
  return json;
}

std::string FromHex(std::string_view hex) {
  std::string bytes;
  bool good = hex.size() % 2 == 0;
  for (std::size_t i = 0; good && i < hex.size(); i += 2) {
    std::uint8_t byte = 0;
    good = ParseHex(hex.substr(i, 2), &byte);
    bytes.push_back(static_cast<char>(byte));
  }
  if (!good) {
    ADD_FAILURE() << "not pairs of hexadecimal digits: " << hex;
    return {};
  }
  return bytes;
}

std::string ToHex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

std::uint64_t HexNumber(std::string_view hex) {
  std::uint64_t value = 0;
  if (!ParseHex(hex, &value)) {
    ADD_FAILURE() << "not a hexadecimal number of 64 bits: " << hex;
    return 0;
  }
  return value;
}

std::optional<std::filesystem::path> CorpusPath(std::string_view relative) {
  const char* chosen = std::getenv("TAMIS_CORPUS");
  const auto path =
      std::filesystem::path(chosen ? chosen : TAMIS_DEFAULT_CORPUS) / relative;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  return path;
}

}  // namespace tamis::testing
