// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/fallback.h -- the end of a bumped ribbon filter: the keys that
// no layer took.  They are few, so their table need not be fast, nor bump any:
// it is tried with one seed after another, and with more rows, until all fit.
// Should that never be, their hashes themselves are the table.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tamis {

struct BumpedFallback {
  unsigned columns = 1;
  std::uint32_t rows = 0;    // 0: there are no keys
  unsigned attempt = 0;      // the seed; kListed: `hashes` hashes, no table
  std::uint64_t hashes = 0;  // only then

  static constexpr unsigned kListed = 255;
  static constexpr std::uint32_t kMaxRows = 65535;

  std::uint64_t bytes() const noexcept {
    return attempt == kListed ? 8 * hashes
                              : (std::uint64_t{columns} * rows + 7) / 8;
  }
};

// Appends the table for `hashes`, which are ascending and all different, to
// *dst.  `attempts`: how many seeds to try before listing; at most kListed.
// Throws std::bad_alloc.
BumpedFallback BuildBumpedFallback(std::span<const std::uint64_t> hashes,
                                   unsigned columns, unsigned attempts,
                                   std::string* dst);

// About the rows that BuildBumpedFallback() needs.
std::uint32_t BumpedLastRows(std::uint64_t keys) noexcept;

// REQUIRES: last.bytes() bytes
bool CheckBumpedFallback(const BumpedFallback& last, const unsigned char* bytes,
                         std::uint64_t hash) noexcept;

}  // namespace tamis
