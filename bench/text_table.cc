// SPDX-License-Identifier: Apache-2.0
#include "bench/text_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace tamis::bench {

std::string Aligned(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; row.size() > 1 && i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const Cells& row : rows) {
    std::string line = row.size() == 1 ? row[0] : "";
    for (std::size_t i = 0; row.size() > 1 && i < row.size(); ++i) {
      line += i == 0 ? fmt::format("  {:<{}}", row[i], widths[i])
                     : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace tamis::bench
