// SPDX-License-Identifier: Apache-2.0
// hash/golden_rows.h -- runs a hash function over tests/golden/hashes.json.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tamis/filter.h"
#include "tests/support/golden.h"

namespace tamis::testing {

// Alignments of the input at which every row is tried.
inline constexpr std::size_t kAlignments = 9;

// The input of length n by the rule that the golden file states.
inline std::string GoldenInput(std::size_t n) {
  std::string input(n, '\0');
  for (std::size_t i = 0; i < n; ++i) {
    input[i] = static_cast<char>((i * 131 + n * 17 + (i >> 3)) & 255);
  }
  return input;
}

// Expects hash(input) == read(row[column]) in every row.  The input lies at
// several alignments, each time at the very end of its allocation, so that
// the address sanitizer sees a read beyond it.
template <typename Hash, typename Read>
void ExpectGoldenColumn(const char* column, Hash hash, Read read) {
  const nlohmann::json golden = LoadGolden("hashes.json");
  std::size_t rows = 0;
  for (const auto& row : golden["rows"]) {
    const auto n = row["len"].get<std::size_t>();
    const std::string input = GoldenInput(n);
    if (!row["input_hex"].is_null()) {
      ASSERT_EQ(ToHex(input), row["input_hex"].get<std::string>());
    }
    const auto expected = read(row[column]);
    for (std::size_t offset = 0; offset < kAlignments; ++offset) {
      const auto buffer = std::make_unique<char[]>(offset + n);
      std::memcpy(buffer.get() + offset, input.data(), n);
      ASSERT_EQ(hash(Slice(buffer.get() + offset, n)), expected)
          << column << " of length " << n << " at offset " << offset;
    }
    ++rows;
  }
  ASSERT_EQ(rows, 311u);  // lengths 0 to 300, and ten longer ones
}

// For functions that yield one number.
template <typename Hash>
void ExpectGoldenColumn(const char* column, Hash hash) {
  ExpectGoldenColumn(
      column, [hash](Slice data) { return std::uint64_t{hash(data)}; },
      [](const nlohmann::json& value) {
        return HexNumber(value.get<std::string>());
      });
}

}  // namespace tamis::testing
