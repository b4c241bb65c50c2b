// SPDX-License-Identifier: Apache-2.0
#include "filters/ribbon/fallback.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/coding.h"
#include "base/wide_math.h"
#include "filters/ribbon/coefficients.h"
#include "filters/ribbon/elimination.h"
#include "hash/splitmix64.h"

namespace tamis {
namespace {

struct Start {
  std::uint32_t row;
  unsigned window;  // rows
  BumpedKey<std::uint64_t> key;
};

Start StartOf(std::uint64_t hash, unsigned attempt, std::uint32_t rows) {
  const std::uint64_t seeded =
      SplitMix64(hash ^ (std::uint64_t{attempt} << 32));
  Start start;
  start.window = std::min<unsigned>(rows, 64);
  start.row =
      static_cast<std::uint32_t>(MultiplyHigh(seeded, rows - start.window + 1));
  start.key = BumpedKeyOf<std::uint64_t>(seeded);
  start.key.coefficients &= ~std::uint64_t{0} >> (64 - start.window);
  return start;
}

// The coefficients of the rows, then their values; see BumpedRows.
using Rows = std::vector<std::uint64_t>;

// False: two keys contradict each other.
bool Eliminate(std::span<const std::uint64_t> hashes, unsigned attempt,
               std::uint32_t mask, Rows* rows) {
  const std::size_t count = rows->size() / 2;
  for (const std::uint64_t hash : hashes) {
    const Start start =
        StartOf(hash, attempt, static_cast<std::uint32_t>(count));
    WalkingKey<std::uint64_t> walking{start.key.coefficients,
                                      start.key.fingerprint & mask,
                                      rows->data() + start.row};
    while (Step(&walking, count)) {
    }
    if (*walking.row == 0) {
      *walking.row = walking.coefficients;
      walking.row[count] = walking.value;
    } else if (walking.row[count] != walking.value) {
      return false;
    }
  }
  return true;
}

// Returns 64 bits of the table from bit `at` on, the least significant bit of
// byte 0 being the first; bits after the end are 0.
std::uint64_t BitsAt(const unsigned char* bytes, std::uint64_t size,
                     std::uint64_t at) {
  const std::uint64_t first = at / 8;
  const unsigned shift = at % 8;
  std::uint64_t low = 0;
  if (first + 9 <= size) [[likely]] {
    low = LoadLittle64(bytes + first);
  } else {
    for (std::uint64_t i = 0; i < 8 && first + i < size; ++i) {
      low |= std::uint64_t{bytes[first + i]} << (8 * i);
    }
  }
  if (shift == 0) return low;
  const std::uint64_t high = first + 8 < size ? bytes[first + 8] : 0;
  return low >> shift | high << (64 - shift);
}

// Writes column after column, each of as many bits as there are rows.
void WriteTable(const Rows& rows, unsigned columns, char* bytes) {
  const std::size_t count = rows.size() / 2;
  for (unsigned column = 0; column < columns; ++column) {
    std::uint64_t later = 0;  // bits of the next 64 rows, the first in bit 0
    for (std::size_t row = count; row-- > 0;) {
      const std::uint64_t bit =
          Parity(rows[row] >> 1 & later) ^ (rows[count + row] >> column & 1);
      later = later << 1 | bit;
      const std::uint64_t at = std::uint64_t{column} * count + row;
      bytes[at / 8] = static_cast<char>(
          static_cast<unsigned char>(bytes[at / 8]) | bit << (at % 8));
    }
  }
}

BumpedFallback List(std::span<const std::uint64_t> hashes, unsigned columns,
                    std::string* dst) {
  for (const std::uint64_t hash : hashes) AppendFixed64(dst, hash);
  return {.columns = columns,
          .rows = 0,
          .attempt = BumpedFallback::kListed,
          .hashes = hashes.size()};
}

bool IsListed(const unsigned char* bytes, std::uint64_t count,
              std::uint64_t hash) {
  std::uint64_t begin = 0;
  while (count > 0) {
    const std::uint64_t half = count / 2;
    const std::uint64_t there = LoadLittle64(bytes + 8 * (begin + half));
    if (there == hash) return true;
    if (there < hash) {
      begin += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return false;
}

}  // namespace

std::uint32_t BumpedLastRows(std::uint64_t keys) noexcept {
  if (keys == 0) return 0;
  // In a longer table it is more likely that some range gets too many keys.
  const std::uint64_t spare =
      2 + keys * static_cast<unsigned>(std::bit_width(keys)) / 256;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(keys + spare, BumpedFallback::kMaxRows));
}

BumpedFallback BuildBumpedFallback(std::span<const std::uint64_t> hashes,
                                   unsigned columns, unsigned attempts,
                                   std::string* dst) {
  assert(attempts <= BumpedFallback::kListed);
  if (hashes.empty()) return {.columns = columns};
  const auto mask =
      static_cast<std::uint32_t>((std::uint64_t{1} << columns) - 1);
  for (unsigned attempt = 0; attempt < attempts; ++attempt) {
    // One more row for every second attempt.
    const std::uint64_t count = BumpedLastRows(hashes.size()) + attempt / 2;
    if (hashes.size() > count || count > BumpedFallback::kMaxRows) break;
    Rows rows(2 * static_cast<std::size_t>(count));
    if (!Eliminate(hashes, attempt, mask, &rows)) continue;
    const BumpedFallback last{.columns = columns,
                              .rows = static_cast<std::uint32_t>(count),
                              .attempt = attempt};
    const std::size_t start = dst->size();
    dst->append(static_cast<std::size_t>(last.bytes()), '\0');
    WriteTable(rows, columns, dst->data() + start);
    return last;
  }
  return List(hashes, columns, dst);
}

bool CheckBumpedFallback(const BumpedFallback& last, const unsigned char* bytes,
                         std::uint64_t hash) noexcept {
  if (last.attempt == BumpedFallback::kListed) {
    return IsListed(bytes, last.hashes, hash);
  }
  if (last.rows == 0) return false;
  const Start start = StartOf(hash, last.attempt, last.rows);
  for (unsigned column = 0; column < last.columns; ++column) {
    const std::uint64_t at = std::uint64_t{column} * last.rows + start.row;
    const std::uint64_t selected =
        BitsAt(bytes, last.bytes(), at) & start.key.coefficients;
    const bool sum =
        Parity(selected ^ (start.key.fingerprint >> column & 1)) != 0;
    if (sum) return false;
  }
  return true;
}

}  // namespace tamis
