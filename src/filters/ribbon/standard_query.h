// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/standard_query.h -- queries a solution of the equations of
// filters/ribbon/standard.h.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/coding.h"
#include "filters/batch_loop.h"
#include "filters/ribbon/standard.h"

namespace tamis {

// A solution in memory that the caller owns.  REQUIRES, for all functions here:
// shape.blocks >= 2, shape.segments >= 1, and as many segments; `seed` is for
// shape.blocks
struct RibbonSolution {
  const unsigned char* segments = nullptr;
  RibbonShape shape;
  RibbonSeed seed;
};

// Where a solution has the rows of one equation: in the segments of the block
// it starts in, and of the next.
struct RibbonWindow {
  const unsigned char* first;   // segments of the block
  const unsigned char* second;  // of the next; `first` again if there is none
  unsigned columns;
  unsigned shift;  // the start, counted within its block
};

// The result addresses no byte outside the segments.
inline RibbonWindow RibbonWindowFor(const RibbonSolution& solution,
                                    std::uint64_t rehash) noexcept {
  const RibbonShape& shape = solution.shape;
  const std::uint64_t start = RibbonStart(rehash, solution.seed.starts);
  const std::uint64_t block = start / kRibbonBlockSlots;
  // 1 for block < cut, otherwise 0; not by a comparison, which compilers turn
  // into an unpredictable branch.
  const std::uint64_t few = (block - shape.cut) >> 63;
  const auto columns = static_cast<unsigned>(shape.columns - few);
  const std::uint64_t segment =
      block * shape.columns - (shape.cut + ((block - shape.cut) & (0 - few)));
  // In the last block an equation can only start at row 0, and so needs no
  // other block: its mask for that one is zero.
  const unsigned step = block + 1 < shape.blocks ? columns : 0;
  const unsigned char* first =
      solution.segments + segment * kRibbonSegmentBytes;
  return {.first = first,
          .second = first + step * kRibbonSegmentBytes,
          .columns = columns,
          .shift = static_cast<unsigned>(start % kRibbonBlockSlots)};
}

// One equation, split into the two blocks of its window.
//
// Columns are checked four at a time without a branch: whether an absent key
// passes a column is a coin toss, and a misprediction costs more than three
// columns.  Only parities matter, so the byte order in a lane does not, as long
// as masks and segments have the same.
class RibbonCheck {
 public:
  static constexpr unsigned kGroup = 4;  // columns

  RibbonCheck(const RibbonWindow& window,
              const RibbonEquation& equation) noexcept
      : first_(window.first),
        second_(window.second),
        first_mask_(MaskOf(equation.coefficients << window.shift)),
        // In two steps, because a shift by 128 bits is undefined.
        second_mask_(MaskOf(equation.coefficients >> 1 >>
                            (kRibbonBlockSlots - 1 - window.shift))),
        result_(equation.result) {}

  // Returns whether the solution satisfies the equation in `count` columns from
  // `column` on.  REQUIRES: count <= kGroup, and the window has them
  [[gnu::always_inline]] bool Holds(unsigned column,
                                    unsigned count) const noexcept {
    // Columns beyond `count` repeat the last one, and are ignored in the end.
    const std::size_t last = count == 0 ? 0 : count - 1;
    const auto rows = [this, column, last](std::size_t i) {
      return RowsAt((column + std::min(i, last)) * kRibbonSegmentBytes);
    };
    Lanes4 sums = FoldAgain(Fold(rows(0), rows(1)), Fold(rows(2), rows(3)));
    // Flipping one bit of a lane flips its parity: now all columns that satisfy
    // the equation have an even number of bits.
    sums ^= (Lanes4{} + (result_ >> column)) & Lanes4{1, 2, 4, 8};
    sums ^= sums >> 16;
    sums ^= sums >> 8;
    sums ^= sums >> 4;
    sums ^= sums >> 2;
    sums ^= sums >> 1;
    const auto odd = std::bit_cast<std::array<std::uint64_t, 2>>(
        sums & std::bit_cast<Lanes4>(kCounted[count]));
    return (odd[0] | odd[1]) == 0;
  }

 private:
  using Lanes2 = std::uint64_t __attribute__((vector_size(16)));
  using Lanes4 = std::uint32_t __attribute__((vector_size(16)));

  static constexpr std::array<std::array<std::uint32_t, kGroup>, kGroup + 1>
      kCounted = {{{0, 0, 0, 0},
                   {1, 0, 0, 0},
                   {1, 1, 0, 0},
                   {1, 1, 1, 0},
                   {1, 1, 1, 1}}};

  static Lanes2 MaskOf(Uint128 rows) noexcept {
    const auto low = static_cast<std::uint64_t>(rows);
    const auto high = static_cast<std::uint64_t>(rows >> 64);
    if constexpr (std::endian::native == std::endian::little) {
      return Lanes2{low, high};
    } else {
      return Lanes2{ByteSwap(low), ByteSwap(high)};
    }
  }
  static Lanes2 Load(const unsigned char* segment) noexcept {
    Lanes2 lanes;
    std::memcpy(&lanes, segment, sizeof(lanes));
    return lanes;
  }
  Lanes2 RowsAt(std::size_t offset) const noexcept {
    return (Load(first_ + offset) & first_mask_) ^
           (Load(second_ + offset) & second_mask_);
  }
  // Both halves of each, exclusive-ored, side by side.
  static Lanes2 Fold(Lanes2 a, Lanes2 b) noexcept {
    return __builtin_shufflevector(a, b, 0, 2) ^
           __builtin_shufflevector(a, b, 1, 3);
  }
  static Lanes4 FoldAgain(Lanes2 a, Lanes2 b) noexcept {
    const auto c = std::bit_cast<Lanes4>(a);
    const auto d = std::bit_cast<Lanes4>(b);
    return __builtin_shufflevector(c, d, 0, 2, 4, 6) ^
           __builtin_shufflevector(c, d, 1, 3, 5, 7);
  }

  const unsigned char* first_;
  const unsigned char* second_;
  Lanes2 first_mask_;
  Lanes2 second_mask_;
  std::uint32_t result_;
};

[[gnu::always_inline]] inline bool CheckRibbonWindow(
    const RibbonWindow& window, std::uint64_t rehash,
    unsigned most_columns) noexcept {
  constexpr unsigned kGroup = RibbonCheck::kGroup;
  const RibbonCheck check(window, RibbonEquationFor(rehash));
  // Loops end at `most_columns`, which is the same for all keys; the number of
  // columns of a window is unpredictable.
  unsigned column = 0;
  for (; column + kGroup < most_columns; column += kGroup) {
    if (!check.Holds(column, kGroup)) return false;
  }
  return check.Holds(column, window.columns - column);
}

// Returns false only if the solution was not built from this hash.
inline bool CheckRibbon(const RibbonSolution& solution,
                        std::uint64_t hash) noexcept {
  const std::uint64_t rehash = RibbonRehash(hash, solution.seed.raw);
  return CheckRibbonWindow(RibbonWindowFor(solution, rehash), rehash,
                           solution.shape.columns);
}

// A query whose memory is prefetched.
struct RibbonQuery {
  RibbonWindow window;
  std::uint64_t rehash;
};

inline RibbonQuery PrefetchRibbon(const RibbonSolution& solution,
                                  std::uint64_t hash) noexcept {
  constexpr std::size_t kCacheLine = 64;
  const std::uint64_t rehash = RibbonRehash(hash, solution.seed.raw);
  const RibbonWindow window = RibbonWindowFor(solution, rehash);
  // The two blocks are adjacent.  As above, the length of the loop must be
  // predictable.
  const std::size_t most =
      std::size_t{2} * solution.shape.columns * kRibbonSegmentBytes;
  const auto last = static_cast<std::size_t>(window.second - window.first) +
                    std::max(window.columns, 1U) * kRibbonSegmentBytes - 1;
  for (std::size_t at = 0; at < most; at += kCacheLine) {
    __builtin_prefetch(window.first + std::min(at, last));
  }
  __builtin_prefetch(window.first + last);
  return {.window = window, .rehash = rehash};
}

// out[i] = CheckRibbon() of hash_of(keys[i]), with the memory accesses of many
// overlapped.
template <typename Key, typename HashOf>
void CheckRibbonMany(const RibbonSolution& solution, std::span<const Key> keys,
                     const HashOf& hash_of, bool* out) noexcept {
  constexpr std::size_t kGroup = 32;  // 16 and 64 were no faster
  CheckBatch<kGroup>(
      keys, out,
      [&](const Key& key) { return PrefetchRibbon(solution, hash_of(key)); },
      [&](const RibbonQuery& query) {
        return CheckRibbonWindow(query.window, query.rehash,
                                 solution.shape.columns);
      });
}

}  // namespace tamis
