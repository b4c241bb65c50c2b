// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/fallback.h -- the end of a bumped ribbon filter: the keys that
// all layers bumped.  They are few, so their table need not be fast, and bumps
// none: one seed after another is tried, with increasingly many rows, until all
// fit.  If they never do, their hashes are stored as a list.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tamis {

struct BumpedFallback {
  unsigned columns = 1;
  std::uint32_t rows = 0;    // 0: there are no keys
  unsigned attempt = 0;      // the seed; kListed: a list of hashes instead
  std::uint64_t hashes = 0;  // only then

  static constexpr unsigned kListed = 255;
  static constexpr std::uint32_t kMaxRows = 65535;

  std::uint64_t bytes() const noexcept {
    return attempt == kListed ? 8 * hashes
                              : (std::uint64_t{columns} * rows + 7) / 8;
  }
};

// Appends the table for `hashes`, which are ascending and distinct, to *dst.
// `attempts`: how many seeds to try before listing; at most kListed.  Throws
// std::bad_alloc.
BumpedFallback BuildBumpedFallback(std::span<const std::uint64_t> hashes,
                                   unsigned columns, unsigned attempts,
                                   std::string* dst);

// Estimates the rows that BuildBumpedFallback() needs.
std::uint32_t BumpedLastRows(std::uint64_t keys) noexcept;

// REQUIRES: `bytes` has last.bytes() bytes
bool CheckBumpedFallback(const BumpedFallback& last, const unsigned char* bytes,
                         std::uint64_t hash) noexcept;

}  // namespace tamis
