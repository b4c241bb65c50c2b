// SPDX-License-Identifier: Apache-2.0
// formats/page_dumps.h -- the hexadecimal dumps of a page in docs/formats/.

#pragma once

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/golden.h"

namespace tamis::testing {

// Whole files each: lines of an offset in two digits, two spaces, and up to
// sixteen bytes; a dump begins at offset 00.
inline std::vector<std::string> DumpsOfPage(std::string_view page) {
  std::vector<std::string> dumps;
  std::istringstream lines(ReadFile(std::filesystem::path(TAMIS_SOURCE_DIR) /
                                    "docs" / "formats" / page));
  constexpr std::size_t kBytesAt = 4;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("00  ")) dumps.emplace_back();
    const bool is_dump = line.size() > kBytesAt && line.substr(1, 3) == "0  ";
    if (dumps.empty() || !is_dump) continue;
    for (std::size_t i = 0; i < 16; ++i) {
      // Two digits and a space each, another space after the eighth.
      const std::size_t at = kBytesAt + 3 * i + i / 8;
      const std::string digits = line.substr(std::min(at, line.size()), 2);
      if (digits.size() < 2 || digits == "  ") break;
      dumps.back() += FromHex(digits);
    }
  }
  return dumps;
}

}  // namespace tamis::testing
