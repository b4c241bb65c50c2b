// filters/ribbon/fallback.h -- the end of a bumped ribbon filter: the keys that
// no layer took.  They are few, so their table need not be fast, nor bump any:
// it is tried with one seed after another, and with more rows, until all fit.
// Should that never be, their digests themselves are the table.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tamis {

struct BumpedLast {
  unsigned columns = 1;
  std::uint32_t rows = 0;     // 0: there are no keys
  unsigned attempt = 0;       // the seed; kListed: `digests` digests, no table
  std::uint64_t digests = 0;  // only then

  static constexpr unsigned kListed = 255;
  static constexpr std::uint32_t kMostRows = 65535;

  std::uint64_t bytes() const noexcept {
    return attempt == kListed ? 8 * digests
                              : (std::uint64_t{columns} * rows + 7) / 8;
  }
};

// Appends the table for `digests`, which are ascending and all different, to
// *dst.  `attempts`: how many seeds to try before listing; at most kListed.
// Throws std::bad_alloc.
BumpedLast BuildBumpedLast(std::span<const std::uint64_t> digests,
                           unsigned columns, unsigned attempts,
                           std::string* dst);

// About the rows that BuildBumpedLast() needs.
std::uint32_t BumpedLastRows(std::uint64_t keys) noexcept;

// REQUIRES: last.bytes() bytes
bool CheckBumpedLast(const BumpedLast& last, const unsigned char* bytes,
                     std::uint64_t digest) noexcept;

}  // namespace tamis
