// SPDX-License-Identifier: Apache-2.0
// docs/policies.md is true: the tables of examples and of errors are read from
// the page and held against MakePolicy().

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter.h"
#include "tests/support/filters.h"

namespace tamis {
namespace {

// The cells of each table row that starts with a text in backticks, without
// the backticks, between two headings.
std::vector<std::vector<std::string>> RowsUnder(const std::string& heading) {
  std::ifstream page(TAMIS_SOURCE_DIR "/docs/policies.md");
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = line == heading;
    if (!inside || !line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 2; at < line.size();) {
      const std::size_t end = line.find(" |", at);
      cells.push_back(line.substr(at, end - at));
      at = end == std::string::npos ? end : end + 3;
    }
    cells[0] = cells[0].substr(1, cells[0].size() - 2);
    rows.push_back(cells);
  }
  return rows;
}

std::uint64_t Number(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  return std::stoull(text);
}

TEST(PolicyDocument, ExamplesPredictWhatTheySay) {
  const auto rows = RowsUnder("## Examples");
  ASSERT_GE(rows.size(), 25u);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 4u) << row[0];
    const Estimate estimate = testing::PolicyOf(row[0])->Predict(1000);
    EXPECT_EQ(estimate.bits, Number(row[1])) << row[0];
    EXPECT_EQ(estimate.probes, Number(row[2])) << row[0];
    EXPECT_EQ(estimate.bytes, Number(row[3])) << row[0];
  }
}

TEST(PolicyDocument, ErrorsReadAsTheySay) {
  const auto rows = RowsUnder("## Errors");
  ASSERT_GE(rows.size(), 17u);
  for (const auto& row : rows) {
    const auto policy = MakePolicy(row[0]);
    ASSERT_FALSE(policy.ok()) << row[0];
    EXPECT_EQ(policy.status().message(), row[1]) << row[0];
  }
}

}  // namespace
}  // namespace tamis
